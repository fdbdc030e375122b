#!/bin/sh
# reads its questions and never answers
exec sleep 60
