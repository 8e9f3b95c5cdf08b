{{- define "windie.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "windie.fullname" -}}
{{- $name := include "windie.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "windie.selector" -}}
app.kubernetes.io/name: {{ include "windie.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "windie.labels" -}}
{{ include "windie.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "windie.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "windie.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* A variable from a secret; takes name, secret and key. */}}
{{- define "windie.fromSecret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
{{- end -}}

{{/* Refuses values that contradict each other. */}}
{{- define "windie.check" -}}
{{- with .Values -}}
{{- if and (gt (int .replicas) 1) (not (and .database.secret .s3.bucket)) -}}
{{- fail "replicas is more than 1: several gateways need PostgreSQL and S3; set database.secret, s3.endpoint, s3.bucket and s3.secret, or set replicas to 1" -}}
{{- end -}}
{{- if and .s3.bucket (not (and .s3.endpoint .s3.secret)) -}}
{{- fail "s3.bucket needs s3.endpoint and s3.secret" -}}
{{- end -}}
{{- if and .s3.endpoint (not .s3.bucket) -}}
{{- fail "s3.endpoint needs s3.bucket" -}}
{{- end -}}
{{- if and .oidc.issuer (not (and .oidc.clientID .oidc.secret)) -}}
{{- fail "oidc.issuer needs oidc.clientID and oidc.secret" -}}
{{- end -}}
{{- if and .oidc.issuer (not (or .oidc.operators .oidc.userClaim)) -}}
{{- fail "oidc.issuer needs oidc.operators or oidc.userClaim: without both, nobody can sign in" -}}
{{- end -}}
{{- end -}}
{{- end -}}
