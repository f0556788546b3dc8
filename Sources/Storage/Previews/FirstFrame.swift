internal import Glibc
internal import LibAV
internal import PosixSupport

/// The first picture of a stored movie. Only the blocks needed for it are read.
///
/// The demuxer cannot wait for a store. It reads from the blocks that are present. If it needs another block, it fails. That block is then
/// read, and the demuxer starts again.
struct FirstFrame {
    private let movie: PictureFile
    private let blocks: MovieBlocks
    /// The most blocks to read. A movie that needs more gets no picture.
    private static let blockLimit = 512

    init(_ movie: PictureFile) {
        self.movie = movie
        blocks = MovieBlocks(byteCount: movie.byteCount)
    }

    /// - Throws: ``PictureProblem`` if the movie has no such picture; `StorageError` if the store fails.
    func jpeg() async throws -> [UInt8] {
        for _ in 0..<Self.blockLimit {
            do {
                return try demuxed()
            } catch {
                guard let missing = blocks.removeMissing() else { throw error }
                let bytes = try await movie.read(at: missing * MovieBlocks.size, count: Int(MovieBlocks.size))
                blocks.add(bytes, at: missing)
            }
        }
        throw PictureProblem(description: "\(movie.key) has no frame in what is read of it")
    }

    private func demuxed() throws -> [UInt8] {
        do {
            let demuxer = try MovieDemuxer(named: "\(movie.key)", byteCount: movie.byteCount, read: blocks.read)
            guard let stream = demuxer.streams.firstIndex(where: { $0.isVideo && $0.codec == .motionJPEG }) else {
                throw PictureProblem(description: "\(movie.key) has no pictures that are JPEGs")
            }
            while let packet = try demuxer.next() {
                if packet.stream == stream { return packet.bytes }
            }
            throw PictureProblem(description: "\(movie.key) has no frame")
        } catch let error as LibAVError {
            throw PictureProblem(description: "\(error)")
        }
    }
}

/// The blocks of a movie that were read. Belongs to one task.
private final class MovieBlocks {
    /// The size of a block in bytes.
    static let size: Int64 = 1 << 18

    private let byteCount: Int64
    private var blocks: [Int64: [UInt8]] = [:]
    /// The first block that was requested and is not present.
    private var missing: Int64?

    init(byteCount: Int64) {
        self.byteCount = byteCount
    }

    func add(_ bytes: [UInt8], at index: Int64) {
        blocks[index] = bytes
    }

    func removeMissing() -> Int64? {
        defer { missing = nil }
        return missing
    }

    /// Returns up to `count` bytes, fewer at the end of a block; none at the end of the movie.
    func read(at offset: Int64, count: Int) throws(PosixError) -> [UInt8] {
        guard offset >= 0, offset < byteCount else { return [] }
        let index = offset / Self.size
        guard let block = blocks[index] else {
            missing = missing ?? index
            throw PosixError(code: EAGAIN, operation: "read block \(index) of", subject: "a movie")
        }
        return Array(block.dropFirst(Int(offset % Self.size)).prefix(count))
    }
}
