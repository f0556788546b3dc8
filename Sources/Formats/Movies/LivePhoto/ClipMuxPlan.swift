internal import ImageMetadata
internal import LibAV

/// A validated clip, and the values for the muxer that follow from it.
struct ClipMuxPlan {
    let streams: [MediaStream]
    let options: MuxOptions
    let tags: LivePhotoTags
    /// The still's time in 1/90 000 s.
    let stillTime: Int64
    /// The duration of each frame in 1/90 000 s.
    let durations: [Int64]
    /// The number of samples per channel to write.
    let sampleCount: Int
    private let sampleRate: Int

    /// - Throws: ``MovieError`` of code `invalidInput` about `subject`.
    init(_ clip: LivePhotoClip, subject: String) throws(MovieError) {
        let refusal = { (cause: String) in MovieError(.invalidInput, "write the clip", subject, cause) }
        guard clip.frames.indices.contains(clip.stillIndex) else { throw refusal("its still is not one of its frames") }
        guard Self.isIdentifier(clip.contentIdentifier) else {
            throw refusal("\(clip.contentIdentifier) is not a UUID in upper case")
        }
        durations = try Self.durations(clip, refusal)
        let size = try Self.size(clip, refusal)
        (sampleRate, sampleCount) = try Self.sound(clip, refusal)
        stillTime = clip.frames[clip.stillIndex].presentationTime
        options = MuxOptions(.quickTime, metadata: ["creation_time": clip.creationDate.utcText])
        tags = LivePhotoTags(
            contentIdentifier: clip.contentIdentifier, creationDate: clip.creationDate, make: clip.make,
            model: clip.model, cameraIdentifier: clip.cameraIdentifier, software: clip.software)
        let pictures = MediaStream(
            codec: .motionJPEG, format: .video(width: size.width, height: size.height),
            timeBase: MediaRational(1, Int32(MovieTime.unitsPerSecond)),
            displayMatrix: clip.orientation.displayMatrix(width: size.width, height: size.height))
        streams = [pictures] + (clip.sound.map { [MediaStream($0)] } ?? [])
    }

    /// Returns the number of samples per channel before a time in 1/90 000 s.
    func samples(until time: Int64) -> Int {
        min(sampleCount, Self.samples(in: time, rate: sampleRate))
    }

    /// Returns the frame with the standard Huffman tables if the camera omits them, because players of movies rely on them.
    func completed(_ jpeg: [UInt8]) -> [UInt8] {
        // Cannot fail, because the structure was parsed before.
        (try? JPEGRewriter.completed(jpeg)) ?? jpeg
    }

    private static func samples(in time: Int64, rate: Int) -> Int {
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: MovieTime.unitsPerSecond)
        return Int(clamping: seconds * Int64(rate) + rest * Int64(rate) / MovieTime.unitsPerSecond)
    }

    private static func durations(
        _ clip: LivePhotoClip, _ refusal: (String) -> MovieError
    ) throws(MovieError) -> [Int64] {
        let times = clip.frames.map(\.presentationTime)
        // A day: far more than any clip, and far less than what overflows.
        guard let first = times.first, first >= 0, let last = times.last, last < 86_400 * MovieTime.unitsPerSecond
        else { throw refusal("its frames' times are not between 0 and a day") }
        guard zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw refusal("its frames' times do not increase")
        }
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }
        guard let end = clip.duration else {
            return steps + [steps.last ?? MovieTime.unitsPerSecond / 30]
        }
        guard end > last, end < 2 * 86_400 * MovieTime.unitsPerSecond else {
            throw refusal("it ends before its last frame")
        }
        return steps + [end - last]
    }

    private static func size(
        _ clip: LivePhotoClip, _ refusal: (String) -> MovieError
    ) throws(MovieError) -> (width: Int, height: Int) {
        var size: (width: Int, height: Int)?
        for (index, frame) in clip.frames.enumerated() {
            let found: JPEGFrame
            do throws(JPEGProblem) {
                found = try JPEGStructure(parsing: frame.jpeg).frame
            } catch {
                throw refusal("frame \(index) is not a complete picture: \(error)")
            }
            let expected = size ?? (found.width, found.height)
            guard expected == (found.width, found.height) else {
                throw refusal(
                    "frame \(index) is \(found.width)x\(found.height), not \(expected.width)x\(expected.height)")
            }
            size = expected
        }
        guard let size else { throw refusal("it has no frames") }
        return size
    }

    private static func sound(
        _ clip: LivePhotoClip, _ refusal: (String) -> MovieError
    ) throws(MovieError) -> (rate: Int, count: Int) {
        guard let sound = clip.sound else { return (0, 0) }
        guard (1...768_000).contains(sound.sampleRate), (1...8).contains(sound.channelCount) else {
            throw refusal("its sound of \(sound.channelCount) channels at \(sound.sampleRate) Hz cannot be stored")
        }
        let count = sound.samples.count / (2 * sound.channelCount)
        return (sound.sampleRate, min(count, clip.duration.map { samples(in: $0, rate: sound.sampleRate) } ?? count))
    }

    /// Returns whether the text has groups of eight, four, four, four and twelve upper-case hexadecimal digits.
    private static func isIdentifier(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        let digits = Set("0123456789ABCDEF")
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(digits.contains) }
    }
}

extension MediaStream {
    init(_ sound: MovieSound) {
        self.init(
            codec: .pcm16, format: .audio(sampleRate: sound.sampleRate, channelCount: sound.channelCount),
            timeBase: MediaRational(1, Int32(clamping: sound.sampleRate)))
    }
}
