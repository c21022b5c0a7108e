"""The loudspeaker that there may be, and what has been heard of an answer from it."""

from __future__ import annotations

import numpy as np

from app.audio.level import FLOOR_DB
from app.conversation import events as ev
from app.conversation.live import Live
from app.conversation.ports import Player, Samples

Action = ev.BeginPlayback | ev.EndPlayback | ev.StopPlayback | ev.DuckPlayback | ev.HoldPlayback | ev.ResumePlayback


class Loudspeaker:
    """`player` None: there is none, and answers can only be read."""

    def __init__(self) -> None:
        self.player: Player | None = None

    def do(self, action: Action, live: Live | None) -> None:
        """Do what is to be done about the playback of `live`."""
        player = self.player
        if player is None:
            return
        match action:
            case ev.BeginPlayback() if live is not None:
                live.playing = True
                player.begin(action.turn)
                for samples in live.sound_so_far():
                    player.write(action.turn, samples)
            case ev.EndPlayback():
                player.end(action.turn)
            case ev.StopPlayback():
                player.stop()
            case ev.DuckPlayback():
                player.duck()
            case ev.HoldPlayback():
                player.hold()
            case ev.ResumePlayback():
                player.resume()

    def write(self, live: Live, samples: Samples) -> None:
        """More of an answer that is being played."""
        if self.player is not None and live.playing:
            self.player.write(live.turn, samples)

    def level(self, live: Live | None) -> float:
        """Loudness of the 80 ms that play now, dB of full scale."""
        return FLOOR_DB if live is None or self.player is None else live.level_at(self.player.played_samples(live.turn))

    def said_aloud(self, live: Live | None) -> str:
        """What has been said of the answer, and what is just about to be."""
        return "" if live is None or self.player is None else live.said_aloud(self.player.played_samples(live.turn))

    def heard(self, live: Live, whole: bool) -> tuple[str, Samples]:
        """The words and the sound that reached the user's ears; `whole`: all there is counts."""
        sound = np.concatenate([np.zeros(0, np.float32), *live.pieces])
        if whole or self.player is None:
            return live.reply.text.strip(), sound
        played = self.player.played_samples(live.turn)
        return live.reply.heard(played), sound[:played]
