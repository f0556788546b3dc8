import CameraKit
import CaptureModel
import PosixSupport

/// The device node behind a name of libasound that is of a card: `hw:1,0`, `plughw:CARD=Webcam,DEV=0`.
struct SoundNode: Hashable, Sendable {
    /// The card's number or word.
    let card: String
    /// The device's number on its card.
    let device: Int

    /// - Returns: nil for names that are of no card, which libasound's configuration resolves.
    init?(device name: String) {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Self.kinds.contains(String(parts[0])) else { return nil }
        var (card, device): (String?, Int?) = (nil, nil)
        for (index, argument) in parts[1].split(separator: ",").enumerated() {
            let pair = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = String(pair.last ?? "")
            switch (pair.count == 2 ? pair.first : nil, index) {
            case ("CARD", _), (nil, 0): card = value
            case ("DEV", _), (nil, 1): device = Int(value)
            default: break
            }
        }
        guard let card, !card.isEmpty, !card.contains("/") else { return nil }
        self.card = card
        self.device = device ?? 0
    }

    private static let kinds: Set = ["hw", "plughw", "sysdefault", "front", "dsnoop"]

    /// Whether this process may open it. Reads sysfs; may block on the system's user database.
    func access(systemFolder: String = "/sys/class/sound", deviceFolder: String = "/dev/snd") -> NodeAccess {
        guard let number = cardNumber(systemFolder) else {
            return NodeAccess(
                .notDetermined,
                remedy: "there is no sound card '\(card)': plug the microphone in, or correct its name in the "
                    + "configuration; `arecord -L` lists the names")
        }
        return NodeAccess(path: "\(deviceFolder)/pcmC\(number)D\(device)c", .sound)
    }

    private func cardNumber(_ systemFolder: String) -> Int? {
        if let number = Int(card) {
            return SystemFolder.text(of: "\(systemFolder)/card\(number)/id").map { _ in number }
        }
        let cards = SystemFolder.entries(of: systemFolder).filter { $0.hasPrefix("card") }
        return cards.first { SystemFolder.text(of: "\(systemFolder)/\($0)/id") == card }
            .flatMap { Int($0.dropFirst(4)) }
    }
}

extension NodeAccess.DeviceClass {
    /// Sound cards of ALSA.
    static var sound: Self {
        Self(subsystem: "sound", controlGroupClass: "char-alsa", group: "audio", noun: "microphone")
    }
}
