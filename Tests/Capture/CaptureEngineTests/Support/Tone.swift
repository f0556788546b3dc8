import CaptureModel
import CaptureTestSupport
import Movies
import PosixSupport
import Sound

@testable import CaptureEngine

/// A microphone that has the same sound for every window.
final class Tone: ClipSoundSource {
    static let sound = MovieSound(samples: [1, 0, 2, 0], sampleRate: 48_000, channelCount: 1)
    let asked = Observed<[ClosedRange<LocalTime>]>([])
    let trouble = Locked<String?>(nil)

    let heard = Observed(ClipSound(sound: Tone.sound, silences: []))
    /// While it is set, who asks waits until it is let go.
    let isHeld = Observed(false)
    let waiting = Observed(0)
    let release = Observed(false)

    func silence() async -> String? {
        if isHeld.value {
            waiting.change { $0 += 1 }
            await release.wait { $0 }
        }
        return trouble.withLock { $0 }
    }

    func bytesPerSecond() async -> Int { 96_000 }

    func clipSound(in window: ClosedRange<LocalTime>) async -> ClipSound {
        asked.change { $0.append(window) }
        return heard.value
    }
}
