public import CaptureModel
internal import Foundation

/// What is still to be made of a capture's clip after it was recorded, by whichever life of the agent comes to it.
public struct DeferredWork: Hashable, Codable, Sendable {
    static let currentSchemaVersion = 1

    var schemaVersion = DeferredWork.currentSchemaVersion
    public var key: CaptureKey
    /// The files it makes, in their order. What the capture owes of them is still to be done.
    public var kinds: [AssetKind]
    /// How the pictures of ``AssetKind/pairedVideo`` are to be coded.
    public var clipCodec: ClipCodec
    /// When the frames of the clip were exposed.
    public var clip: ClipTiming
    /// Bytes of what the files are made of, once it is kept.
    public internal(set) var byteCount: Int64 = 0

    public init(key: CaptureKey, kinds: [AssetKind], clipCodec: ClipCodec, clip: ClipTiming) {
        self.key = key
        self.kinds = kinds
        self.clipCodec = clipCodec
        self.clip = clip
    }

    /// - Returns: nil for what is no such file, or a newer version's.
    init?(_ bytes: [UInt8]) {
        guard let work = try? JSONDecoder().decode(DeferredWork.self, from: Data(bytes)),
            work.schemaVersion == Self.currentSchemaVersion, work.byteCount >= 0, work.byteCount < .max / 4096
        else { return nil }
        self = work
    }

    func encoded() throws(CaptureProblem) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
        } catch {
            throw CaptureProblem(.inputOutput, "the work on \(key) cannot be written down: \(error)")
        }
    }
}

/// A file of deferred work.
public enum DeferredPart: String, CaseIterable, Sendable {
    /// The work itself. It is written after what it is about, so that its presence means that the rest is whole.
    case work = "work.json"
    /// The clip as it was recorded.
    case clip = "clip.mov"
    /// The still, which stays until the work is done, however early the library has it.
    case still = "photo.jpg"
    /// What is being made; gone when the work is done.
    case scratch = "scratch.mp4"
}
