internal import CLibAV
internal import PosixSupport

/// One movie on its way through decoders and encoders.
struct TranscodingJob {
    private let demuxer: MovieDemuxer
    /// Index of the pictures' and of the sound's stream in the source.
    private let pictures: Int
    private let sound: Int?
    private let video: PictureTranscoder
    /// nil where there is no sound, or it is copied.
    private let audio: SoundTranscoder?
    private let muxer: MovieMuxer

    init(
        from source: OpenFile, to target: OpenFile, options: MovieOptions, settings: TranscodingSettings
    ) throws(LibAVError) {
        demuxer = try MovieDemuxer(from: source)
        let streams = demuxer.streams
        guard let pictures = streams.firstIndex(where: \.isVideo) else {
            throw LibAVError("encode", source.path, cause: "it has no pictures")
        }
        (self.pictures, sound) = (pictures, streams.firstIndex(where: \.isAudio))
        video = try PictureTranscoder(streams[pictures], settings, subject: source.path)
        if let sound, streams[sound].codec != .aac {
            audio = try SoundTranscoder(streams[sound], settings, subject: source.path)
        } else {
            audio = nil
        }
        let made = [video.stream] + [audio?.stream ?? sound.map { streams[$0] }].compactMap(\.self)
        muxer = try MovieMuxer(to: target, streams: made, options: options)
    }

    func run() throws(LibAVError) {
        while let index = try demuxer.advance() {
            if index == pictures {
                try unsafe encodePicture(demuxer.packet)
            } else if index == sound {
                try takeSound(of: index)
            }
        }
        try unsafe encodePicture(nil)
        try encodeSound(nil)
        try muxer.finish()
    }

    private func encodePicture(_ packet: UnsafeMutablePointer<AVPacket>?) throws(LibAVError) {
        try unsafe video.take(packet) { (packet) throws(LibAVError) in
            try unsafe muxer.send(packet, to: 0, timeBase: video.stream.timeBase)
        }
    }

    private func takeSound(of index: Int) throws(LibAVError) {
        guard audio == nil else { return try encodeSound(demuxer.bytes) }
        try unsafe muxer.send(demuxer.packet, to: 1, timeBase: demuxer.streams[index].timeBase)
    }

    private func encodeSound(_ samples: [UInt8]?) throws(LibAVError) {
        guard let audio else { return }
        try unsafe audio.take(samples, at: demuxer.time) { (packet) throws(LibAVError) in
            try unsafe muxer.send(packet, to: 1, timeBase: audio.stream.timeBase)
        }
    }
}
