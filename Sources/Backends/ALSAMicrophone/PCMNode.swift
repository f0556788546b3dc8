import ALSA
import CameraKit
import CaptureModel
import Glibc

/// The device node of a libasound name that names a card: `hw:1,0`, `plughw:CARD=Webcam,DEV=0`.
struct PCMNode: Hashable, Sendable {
    /// The card's number or ID.
    let card: String
    /// The device's number on its card.
    let device: Int

    /// - Returns: nil for names without a card, which libasound's configuration resolves.
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

    /// Returns whether this process may open it. Reads sysfs; may block on the system's user database.
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

extension CameraError {
    /// Translates the failure of a libasound call. The error itself has the advice for people.
    ///
    /// libasound does not find a card whose control device may not be opened (`ENODEV`), so permissions are checked if
    /// it found none. May block on the system's user database.
    init(_ error: ALSAError, access: NodeAccess? = nil) {
        var (code, advice) = (Self.code(of: error), error.advice ?? "`dmesg` may say more")
        if code == .absent || code == .denied, let access = access ?? PCMNode(device: error.device)?.access() {
            switch access.status {
            case .denied: (code, advice) = (.denied, access.remedy ?? advice)
            case .restricted: (code, advice) = (.restricted, access.remedy ?? advice)
            case .authorized, .notDetermined: break
            }
        }
        self.init(code, device: error.device, operation: error.operation, reason: "\(error.reason); \(advice)")
    }

    private static func code(of error: ALSAError) -> Code {
        switch error.errorNumber {
        case ENODEV, ENOENT, ENXIO: .absent
        case EBUSY: .busy
        case EACCES, EPERM: .denied
        case EINVAL where error.operation.hasPrefix("snd_pcm_hw_params"): .unsupportedFormat
        default: .failed
        }
    }
}

/// Converts a block's stamp to the instant of its first frame on this machine's clock, with a bound.
///
/// | stamp | bound |
/// |---|---|
/// | from the driver, the device reports its exact position | 1 ms |
/// | from the driver, the device moves in batches | one period more |
/// | none, or not plausible: the block ended when it was read | two periods more |
///
/// A stamp is plausible if it is at most the device's buffer and a second before the read, and at most a millisecond
/// after it. A driver that stamps with another clock, or a process in a time namespace, must not produce a wrong
/// instant. No driver reports the delay of the converter itself (USB: a few milliseconds); ``latencyOffset`` corrects
/// it.
struct SoundStampRule: Hashable, Sendable {
    let rate: Int
    let period: Duration
    let buffer: Duration
    let movesInBatches: Bool
    /// Added to every stamp. Negative for a device that delivers late.
    let latencyOffset: Duration

    private static let accuracy = Duration.milliseconds(1)

    init(_ parameters: PCMParameters, latencyOffset: Duration) {
        let format = AudioFormat(sampleRate: parameters.rate, channels: parameters.channels)
        rate = parameters.rate
        period = format.duration(ofFrames: parameters.periodFrames)
        buffer = format.duration(ofFrames: parameters.bufferFrames)
        movesInBatches = parameters.movesInBatches
        self.latencyOffset = latencyOffset
    }

    /// - Parameters:
    ///   - frames: Number of frames in the block.
    ///   - read: When the block was read.
    func apply(_ block: PCMBlock, frames: Int, read: LocalTime) -> (firstFrame: LocalTime, bound: Duration) {
        let length = AudioFormat(sampleRate: rate, channels: 1).duration(ofFrames: frames)
        let stamp = LocalTime(nanoseconds: block.firstFrameNanoseconds)
        let age = read - (stamp + length)
        let isPlausible = age >= .zero - Self.accuracy && age <= buffer + .seconds(1)
        guard block.hasDriverStamp, isPlausible else {
            return (read - length + latencyOffset, Self.accuracy + period * 2)
        }
        return (stamp + latencyOffset, movesInBatches ? Self.accuracy + period : Self.accuracy)
    }
}
