{{/* The variables of a gateway. */}}
{{- define "windie.env" -}}
- {name: WINDIE_MODE, value: hosted}
- name: WINDIE_PUBLIC_URL
  value: {{ .Values.publicURL | quote }}
# The endpoints list a pod that ends for some more seconds: until then it accepts requests.
- {name: WINDIE_DRAIN_DELAY, value: 5s}
{{ include "windie.fromSecret" (dict "name" "WINDIE_OPERATOR_TOKEN" "secret" .Values.operatorToken.secret "key" .Values.operatorToken.key) }}
{{- with .Values.database }}
{{- if .secret }}
{{ include "windie.fromSecret" (dict "name" "WINDIE_DATABASE_URL" "secret" .secret "key" .key) }}
{{- end }}
{{- end }}
{{- with .Values.s3 }}
{{- if .bucket }}
- name: WINDIE_S3_ENDPOINT
  value: {{ .endpoint | quote }}
- name: WINDIE_S3_BUCKET
  value: {{ .bucket | quote }}
{{- with .prefix }}
- name: WINDIE_S3_PREFIX
  value: {{ . | quote }}
{{- end }}
{{ include "windie.fromSecret" (dict "name" "WINDIE_S3_ACCESS_KEY" "secret" .secret "key" .accessKey) }}
{{ include "windie.fromSecret" (dict "name" "WINDIE_S3_SECRET_KEY" "secret" .secret "key" .secretKey) }}
{{- end }}
{{- end }}
{{- if gt (int .Values.replicas) 1 }}
- {name: WINDIE_SHARED_DIR, value: /shared}
{{- end }}
{{- with .Values.oidc }}
{{- if .issuer }}
- name: WINDIE_OIDC_ISSUER
  value: {{ .issuer | quote }}
- name: WINDIE_OIDC_CLIENT_ID
  value: {{ .clientID | quote }}
{{ include "windie.fromSecret" (dict "name" "WINDIE_OIDC_CLIENT_SECRET" "secret" .secret "key" .key) }}
{{- with .scopes }}
- name: WINDIE_OIDC_SCOPES
  value: {{ join "," . | quote }}
{{- end }}
{{- with .operatorClaim }}
- name: WINDIE_OIDC_OPERATOR_CLAIM
  value: {{ . | quote }}
{{- end }}
{{- with .operators }}
- name: WINDIE_OIDC_OPERATORS
  value: {{ join "," . | quote }}
{{- end }}
{{- with .userClaim }}
- name: WINDIE_OIDC_USER_CLAIM
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}
