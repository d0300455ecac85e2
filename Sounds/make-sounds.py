#!/usr/bin/env python3
"""Makes Belfry's ring tones, the same bytes every time.

    make-sounds.py            write ring.wav, ring-soft.wav, hangup.wav and alert.wav beside this script
    make-sounds.py --check    compare them with what would be written; exit 1 if one differs

The files are 16-bit PCM, mono, plain WAVE: libcanberra reads nothing wider, and refuses WAVE_FORMAT_EXTENSIBLE
only when it plays. Each is shorter than the default interval of one second, so that ticks never overlap.
"""

import io
import math
import pathlib
import struct
import sys
import wave

RATE_HERTZ = 48_000
LONGEST_SECONDS = 0.9
FADE_SECONDS = 0.004


def note(frequencies_hertz, length_seconds, decay_per_second, level):
    """One struck note: partials that die away, faded at both ends so that it never clicks."""
    count = round(length_seconds * RATE_HERTZ)
    fade = round(FADE_SECONDS * RATE_HERTZ)
    samples = []
    for index in range(count):
        seconds = index / RATE_HERTZ
        value = 0.0
        for frequency in frequencies_hertz:
            phase = 2 * math.pi * frequency * seconds
            # An octave and a twelfth above, fainter and shorter: a struck bar rather than a beep.
            value += math.sin(phase)
            value += 0.30 * math.exp(-6 * seconds) * math.sin(2 * phase)
            value += 0.12 * math.exp(-12 * seconds) * math.sin(3 * phase)
        value *= math.exp(-decay_per_second * seconds) * level / (1.42 * len(frequencies_hertz))
        value *= min(1.0, (index + 1) / fade, (count - index) / fade)
        samples.append(value)
    return samples


def rest(length_seconds):
    """Silence."""
    return [0.0] * round(length_seconds * RATE_HERTZ)


def ring():
    """The warble of a desk telephone: two notes in turn, a short breath, and again; 0.8 s."""
    high, low = [1046.5], [830.6]
    burst = []
    for turn in range(6):
        burst += note(high if turn % 2 == 0 else low, 0.060, 8, 0.85)
    return burst + rest(0.050) + burst + rest(0.030)


def ring_soft():
    """A second call while one rings: one low knock on wood, far quieter; 0.45 s."""
    return note([392.0, 493.9], 0.450, 9, 0.22)


def hangup():
    """The call is over: two falling notes; 0.42 s."""
    return note([587.3], 0.180, 12, 0.45) + note([392.0], 0.240, 12, 0.45)


def alert():
    """A message: two rising notes; 0.5 s."""
    return note([784.0], 0.120, 10, 0.5) + note([1174.7], 0.380, 9, 0.5)


TONES = {"ring.wav": ring, "ring-soft.wav": ring_soft, "hangup.wav": hangup, "alert.wav": alert}


def encode(samples):
    """The bytes of a WAVE file."""
    assert 0 < len(samples) <= LONGEST_SECONDS * RATE_HERTZ
    assert all(-1.0 <= sample <= 1.0 for sample in samples)
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HERTZ)
        file.writeframes(b"".join(struct.pack("<h", round(sample * 32_767)) for sample in samples))
    return buffer.getvalue()


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    folder = pathlib.Path(__file__).resolve().parent
    different = []
    for name, make in TONES.items():
        path, data = folder / name, encode(make())
        if not arguments:
            path.write_bytes(data)
        elif not path.is_file() or path.read_bytes() != data:
            different.append(name)
    if different:
        sys.exit(f"make-sounds.py: not what this script makes: {', '.join(different)}; run it and commit the result")


if __name__ == "__main__":
    main(sys.argv[1:])
