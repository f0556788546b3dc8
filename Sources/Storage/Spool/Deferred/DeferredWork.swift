public import CaptureModel

/// What is still to be made of a capture after it was stored, by whichever life of the agent comes to it.
///
/// | file | is made of | is kept with |
/// |---|---|---|
/// | ``AssetKind/photoHEIC`` | the still | the capture itself |
/// | ``AssetKind/pairedVideo``, encoded | the recorded clip | the recorded clip |
/// | ``AssetKind/motionPhoto`` | the recorded clip and the still | the recorded clip |
public struct DeferredWork: Hashable, Sendable {
    public var key: CaptureKey
    /// The files it makes, in their order. What the capture owes of them is still to be done.
    public var kinds: [AssetKind]
    /// How the pictures of ``AssetKind/pairedVideo`` are to be coded.
    public var clipCodec: ClipCodec?
    /// When the frames of the clip were exposed; nil where nothing is made of one yet.
    public var clip: ClipTiming?
    /// How often each file was begun and not ended in order, by the name of its kind.
    var attempts: [String: Int]?
    /// Bytes of what the files are made of, once it is kept.
    public internal(set) var byteCount: Int64 = 0

    public init(key: CaptureKey, kinds: [AssetKind], clipCodec: ClipCodec? = nil, clip: ClipTiming? = nil) {
        self.key = key
        self.kinds = kinds
        self.clipCodec = clipCodec
        self.clip = clip
    }

    /// Work of the same capture that came before goes on beside this.
    func joined(with earlier: DeferredWork?) -> DeferredWork {
        var joined = self
        joined.kinds = (earlier?.kinds.filter { !kinds.contains($0) } ?? []) + kinds
        joined.attempts = earlier?.attempts
        joined.clipCodec = clipCodec ?? earlier?.clipCodec
        joined.clip = clip ?? earlier?.clip
        return joined
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
    case scratchStill = "scratch.heic"
}

extension AssetKind {
    /// What a deferred file is made of; none of any other.
    var deferredSources: [DeferredPart] {
        switch self {
        case .photoHEIC: [.still]
        case .pairedVideo: [.clip]
        case .motionPhoto: [.clip, .still]
        case .photo, .photo2, .photo3, .photo4, .photo5, .preview, .alternatePhoto, .movie, .frames: []
        }
    }
}
