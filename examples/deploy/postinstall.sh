#!/bin/sh
# After the package is installed or upgraded.
set -e
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
systemctl try-restart windie.service
