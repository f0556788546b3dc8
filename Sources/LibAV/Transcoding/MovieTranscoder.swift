public import PosixSupport

/// Makes a movie of H.264 and AAC of one of any pictures that libavcodec decodes and PCM.
public enum MovieTranscoder {
    /// Decodes and encodes everything; blocks for as long as that takes, and on the disk.
    ///
    /// Pictures keep their times. Sound that is AAC already is copied.
    ///
    /// - Parameters:
    ///   - source: A finished movie, open for reading.
    ///   - target: Open for writing, empty; made durable by its owner.
    ///   - options: Layout and texts of the new movie.
    /// - Throws: ``LibAVError``; `target` is then of no use.
    public static func transcode(
        from source: OpenFile, to target: OpenFile, options: MovieOptions,
        settings: TranscodingSettings = TranscodingSettings()
    ) throws(LibAVError) {
        try TranscodingJob(from: source, to: target, options: options, settings: settings).run()
    }
}
