#!/bin/sh
# Before the package is removed; an upgrade leaves the gateway running until the new one is there.
set -e
case ${1:-} in upgrade | 1) exit 0 ;; esac
[ -d /run/systemd/system ] || exit 0
systemctl disable --now windie.service
