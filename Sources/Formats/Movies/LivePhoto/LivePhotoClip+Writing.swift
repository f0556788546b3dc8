internal import ImageMetadata
internal import LibAV
public import PosixSupport

extension LivePhotoClip {
    /// Writes the finished QuickTime movie under a temporary name, makes it durable, gives it its name in one step, and
    /// makes the name durable.
    ///
    /// Blocks on the disk: call from a ``ThreadExecutor`` or a thread of one's own.
    ///
    /// - Parameters:
    ///   - folder: Where the movie goes.
    ///   - name: Its name, such as `pairedVideo.mov`; a file of that name is replaced. `name.tmp` is used meanwhile.
    /// - Returns: The movie's length in bytes.
    /// - Throws: ``MovieError``; nothing is left in the folder then, but for a file of that name that was there before.
    @discardableResult
    public func write(to folder: Folder, as name: String) throws(MovieError) -> Int64 {
        let plan = try ClipPlan(self, subject: folder.path(of: name))
        return try MovieFile.publish(in: folder, as: name) { (temporary) throws(MovieError) in
            let file = try MovieFile.open(temporary, in: folder, for: .writing)
            try MovieFile.library { () throws(LibAVError) in
                try write(plan, to: MovieMuxer(to: file, streams: plan.streams, options: plan.options))
            }
            try LivePhotoMovie(tags: plan.tags, stillTime: plan.stillTime)
                .add(to: MovieFile.open(temporary, in: folder, for: .updating))
        }
    }

    /// Pictures and, up to the time of each, sound.
    private func write(_ plan: ClipPlan, to muxer: MovieMuxer) throws(LibAVError) {
        var written = 0
        for index in frames.indices {
            try muxer.write(
                MediaPacket(
                    stream: 0, presentationTime: frames[index].presentationTime, duration: plan.durations[index],
                    bytes: plan.completed(frames[index].jpeg)))
            try write(plan, soundFrom: &written, to: plan.samples(until: frames[index].presentationTime), muxer)
        }
        try write(plan, soundFrom: &written, to: plan.sampleCount, muxer)
        try muxer.finish()
    }

    private func write(
        _ plan: ClipPlan, soundFrom start: inout Int, to end: Int, _ muxer: MovieMuxer
    ) throws(LibAVError) {
        guard let sound, end > start else { return }
        let size = 2 * sound.channelCount
        try muxer.write(
            MediaPacket(
                stream: 1, presentationTime: Int64(start), duration: Int64(end - start),
                bytes: Array(sound.samples[start * size..<end * size])))
        start = end
    }
}
