#!/usr/bin/env bash
# Virtual sound card for tests: PulseAudio without systemd, D-Bus or a real card.
#   virtual_audio.sh start [DIR]   start; writes DIR/env.sh (source it) and DIR/pulse.pid
#   virtual_audio.sh stop  [DIR]   stop it by its pid and remove DIR
#   virtual_audio.sh run   [DIR] -- CMD...   start, run CMD with the environment, always stop
# Needs (Debian 12): apt-get install -y --no-install-recommends \
#   pulseaudio pulseaudio-utils libasound2-plugins libportaudio2
# What there is then:
#   sink   va_speaker   default output. What the program plays: parec -d va_speaker.monitor
#   sink   va_mic_in    what a test says into the microphone: paplay -d va_mic_in FILE.wav
#   source va_mic       default input: hears va_mic_in
#   ALSA/PortAudio devices: default, pulse, va_mic (in), va_speaker (out)
set -euo pipefail

usage() { sed -n '2,14p' "$0"; exit 2; }
cmd=${1:-}; shift || usage
dir=${TMPDIR:-/tmp}/va_audio.${UID}
if [ $# -gt 0 ] && [ "$1" != -- ]; then dir=$1; shift; fi
if [ "${1:-}" = -- ]; then shift; fi
dir=$(realpath -m -- "$dir")
[ ${#dir} -le 90 ] || { echo "DIR too long for a socket path: $dir" >&2; exit 2; }

# Only ever remove a folder that this script made (it leaves a marker in it).
wipe() {
  if [ -e "$dir" ]; then
    [ -e "$dir/.va_audio" ] || { echo "not a folder of this script: $dir" >&2; return 1; }
    rm -rf -- "$dir"
  fi
}
# A dead process that nobody has waited for yet is not alive, though kill -0 finds it.
alive() {
  [ -s "$dir/pulse.pid" ] && kill -0 "$(cat "$dir/pulse.pid")" 2>/dev/null &&
    ! grep -q '^State:[[:space:]]*Z' "/proc/$(cat "$dir/pulse.pid")/status" 2>/dev/null
}

start() {
  if alive; then echo "already running: pid $(cat "$dir/pulse.pid")" >&2; return 0; fi
  wipe; mkdir -p "$dir/run" "$dir/state"; : >"$dir/.va_audio"; chmod 700 "$dir" "$dir/run"
  # A private socket path: short (108 byte limit of AF_UNIX), so keep DIR short.
  cat >"$dir/asound.conf" <<EOF
</usr/share/alsa/alsa.conf>
pcm.!default { type pulse  hint { show on description "Default (virtual)" } }
ctl.!default { type pulse }
pcm.va_mic     { type pulse  device va_mic      hint { show on description "Virtual microphone" } }
pcm.va_speaker { type pulse  device va_speaker  hint { show on description "Virtual speaker" } }
EOF
  cat >"$dir/env.sh" <<EOF
export PULSE_SERVER=unix:$dir/pulse.sock
export PULSE_RUNTIME_PATH=$dir/run
export PULSE_STATE_PATH=$dir/state
export ALSA_CONFIG_PATH=$dir/asound.conf
export PULSE_COOKIE=$dir/cookie
unset PULSE_SINK PULSE_SOURCE || true
EOF
  # shellcheck disable=SC1091
  . "$dir/env.sh"
  # norewinds=1 matters: without it an idle null sink renders seconds ahead, so that a recorder of
  # its monitor gets nothing until something plays, and loses most of a short sound.
  # -n: no default.pa, so no udev, no D-Bus, no bluetooth, no rtkit, no console-kit.
  # nohup+setsid: survives the calling shell, and is not in its process group.
  DBUS_SESSION_BUS_ADDRESS=disabled: DBUS_SYSTEM_BUS_ADDRESS=disabled: \
  setsid nohup pulseaudio -n --fail=yes --daemonize=no --system=no --use-pid-file=no --exit-idle-time=-1 \
    --disallow-exit=yes --disallow-module-loading=no --high-priority=no --realtime=no \
    --disable-shm=yes --log-target=stderr --log-level=notice --resample-method=speex-float-5 \
    -L "module-native-protocol-unix socket=$dir/pulse.sock auth-anonymous=1 auth-cookie-enabled=0" \
    -L "module-null-sink sink_name=va_speaker rate=48000 channels=2 format=float32le norewinds=1 sink_properties=device.description=VirtualSpeaker" \
    -L "module-null-sink sink_name=va_mic_in rate=48000 channels=1 channel_map=mono format=float32le norewinds=1 sink_properties=device.description=VirtualMicInput" \
    -L "module-remap-source source_name=va_mic master=va_mic_in.monitor source_properties=device.description=VirtualMicrophone" \
    >"$dir/pulse.log" 2>&1 </dev/null &
  echo $! >"$dir/pulse.pid"
  for _ in $(seq 100); do
    if pactl info >/dev/null 2>&1; then
      pactl set-default-sink va_speaker
      pactl set-default-source va_mic
      return 0
    fi
    alive || { echo "pulseaudio died:" >&2; cat "$dir/pulse.log" >&2; return 1; }
    sleep 0.1
  done
  echo "pulseaudio gave no answer in 10 s:" >&2; cat "$dir/pulse.log" >&2; stop; return 1
}

stop() {
  if alive; then
    pid=$(cat "$dir/pulse.pid"); kill "$pid" 2>/dev/null || true
    for _ in $(seq 50); do alive || break; sleep 0.1; done
    kill -9 "$pid" 2>/dev/null || true
  fi
  wipe
}

case $cmd in
  start) start; echo "$dir/env.sh" ;;
  stop)  stop ;;
  run)   [ $# -gt 0 ] || usage
         trap stop EXIT; start; set +e; "$@"; rc=$?; set -e; exit $rc ;;
  *)     usage ;;
esac
