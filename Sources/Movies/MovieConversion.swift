internal import LibAV
public import PosixSupport

/// Movies made of other movies.
public enum MovieConversion {
    /// Makes an MP4 of H.264 and AAC of a movie, as a motion photo needs it; blocks for as long as encoding takes.
    ///
    /// - Parameters:
    ///   - source: A finished movie, open for reading.
    ///   - folder: Where the new one goes.
    ///   - name: Its name; a file of that name is replaced. `name.tmp` is used meanwhile.
    ///   - threadCount: Threads that encode; 0: as many as there are processors.
    /// - Returns: The new movie's length in bytes.
    /// - Throws: ``MovieError``; nothing is left in the folder then.
    @discardableResult
    public static func makeMP4(
        of source: OpenFile, in folder: Folder, as name: String, threadCount: Int = 0
    ) throws(MovieError) -> Int64 {
        try MovieFile.publish(in: folder, as: name) { (temporary) throws(MovieError) in
            try transcode(source, to: temporary, in: folder, MovieOptions(.mp4), threadCount)
        }
    }

    /// Replaces the movie of a Live Photo by one of H.264 and AAC that is the same in all else, in one step; blocks for
    /// as long as encoding takes.
    ///
    /// - Parameters:
    ///   - name: The movie, in `folder`. `name.tmp` is used meanwhile.
    ///   - threadCount: Threads that encode; 0: as many as there are processors.
    /// - Returns: The new movie's length in bytes.
    /// - Throws: ``MovieError``; the movie is then as it was.
    @discardableResult
    public static func encodeLivePhoto(
        _ name: String, in folder: Folder, threadCount: Int = 0
    ) throws(MovieError) -> Int64 {
        let source = try MovieFile.open(name, in: folder, for: .reading)
        guard let pairing = try LivePhotoMovie.read(source) else {
            throw MovieError(.invalidInput, "encode", source.path, "it is not the movie of a Live Photo")
        }
        return try MovieFile.publish(in: folder, as: name) { (temporary) throws(MovieError) in
            var options = MovieOptions(.quickTime)
            options.metadata = try MovieFile.library { () throws(LibAVError) in
                try MovieDemuxer(from: source).metadata.filter { $0.key == "creation_time" }
            }
            try transcode(source, to: temporary, in: folder, options, threadCount)
            try pairing.add(to: MovieFile.open(temporary, in: folder, for: .updating))
        }
    }

    private static func transcode(
        _ source: OpenFile, to name: String, in folder: Folder, _ options: MovieOptions, _ threadCount: Int
    ) throws(MovieError) {
        let target = try MovieFile.open(name, in: folder, for: .writing)
        try MovieFile.library { () throws(LibAVError) in
            try MovieTranscoder.transcode(
                from: source, to: target, options: options, settings: TranscodingSettings(threadCount: threadCount))
        }
    }
}
