"""Timers, alarms and reminders: kept in one file with the notes, rung by an `AlarmClock`, set by voice.

`schedule` is the arithmetic of days and times, `store` the file, `alarm_clock` what a window holds, `tools` what the
model calls. Times of day follow the wall clock of this computer; what was set for "in ten minutes" counts the time
that passes, however the wall clock is put.
"""
