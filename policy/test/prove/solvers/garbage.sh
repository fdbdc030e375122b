#!/bin/sh
echo "Welcome to the interactive shell!"
cat >/dev/null
