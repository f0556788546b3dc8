public import CaptureModel
public import ImageMetadata

/// What a recording is made of, and what its files say of themselves.
public struct RecordingFormat: Hashable, Sendable {
    /// Pixels across.
    public var width: Int
    /// Pixels down.
    public var height: Int
    /// How often the camera is to give a frame; editors, and the time code, count by it.
    public var frameRate: FrameRate
    /// Samples of each channel in a second, hertz, and channels; nil for a silent recording.
    public var sound: Sound?
    /// How viewers turn the frames.
    public var orientation: EXIFOrientation
    /// Name of the camera, by which editors tell angles apart.
    public var reelName: String
    /// Time code of presentation time 0, at ``frameRate``; nil for none.
    public var timecodeStart: SMPTETimecode?
    /// The instant of presentation time 0.
    public var creationDate: EXIFTimestamp
    /// A title, where there is one already.
    public var title: String?

    /// The form of sound samples: signed 16 bits, little-endian, interleaved.
    public struct Sound: Hashable, Sendable {
        /// Samples of each channel in a second, hertz.
        public var sampleRate: Int
        /// Number of channels, 1 to 8.
        public var channelCount: Int

        /// Describes samples.
        public init(sampleRate: Int, channelCount: Int) {
            self.sampleRate = sampleRate
            self.channelCount = channelCount
        }
    }

    public init(
        width: Int, height: Int, frameRate: FrameRate, sound: Sound? = nil, orientation: EXIFOrientation = .up,
        reelName: String, timecodeStart: SMPTETimecode? = nil, creationDate: EXIFTimestamp, title: String? = nil
    ) {
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.sound = sound
        self.orientation = orientation
        self.reelName = reelName
        self.timecodeStart = timecodeStart
        self.creationDate = creationDate
        self.title = title
    }

    /// Why no recording can be made of it; nil where one can.
    var problem: String? {
        guard (1...65_535).contains(width), (1...65_535).contains(height) else {
            return "pictures of \(width)x\(height) cannot be stored"
        }
        guard let sound else { return nil }
        return (1...768_000).contains(sound.sampleRate) && (1...8).contains(sound.channelCount)
            ? nil : "sound of \(sound.channelCount) channels at \(sound.sampleRate) Hz cannot be stored"
    }

    /// The time code of a presentation time.
    func timecode(at time: Int64) -> SMPTETimecode? {
        timecodeStart?.advanced(by: time, timeScale: MovieTime.unitsPerSecond)
    }
}
