internal import LibAV
import PosixSupport

/// Writes a file under a temporary name and renames it in one step, so that its name refers to the complete file or to the earlier one.
enum MovieFile {
    /// Writes and publishes a file.
    /// - Parameter make: Fills `temporary`, which does not exist yet. It need not make anything durable.
    /// - Returns: The file's length in bytes.
    /// - Throws: ``MovieError``. The temporary file is then removed.
    static func publish(
        in folder: Folder, as name: String, _ make: (_ temporary: String) throws(MovieError) -> Void
    ) throws(MovieError) -> Int64 {
        let temporary = name + ".tmp"
        do throws(MovieError) {
            try make(temporary)
            return try commit(temporary, in: folder, as: name)
        } catch {
            // The first error is the relevant one. If the file cannot be removed, the next attempt replaces it.
            try? folder.remove(temporary)
            throw error
        }
    }

    private static func commit(_ temporary: String, in folder: Folder, as name: String) throws(MovieError) -> Int64 {
        do throws(PosixError) {
            let file = try folder.open(temporary, for: .reading)
            try file.sync()
            let count = try file.byteCount()
            try folder.rename(temporary, to: name)
            try folder.sync()
            return count
        } catch {
            throw MovieError(error)
        }
    }

    /// Opens a file and converts errors to this module's.
    static func open(_ name: String, in folder: Folder, for access: Folder.Access) throws(MovieError) -> OpenFile {
        try posix { () throws(PosixError) in try folder.open(name, for: access) }
    }

    /// Calls the codec and container library and converts errors to this module's.
    static func library<Result>(_ body: () throws(LibAVError) -> Result) throws(MovieError) -> Result {
        do throws(LibAVError) {
            return try body()
        } catch {
            throw error.file.map { MovieError($0) } ?? MovieError(.codec, error.operation, error.subject, error.cause)
        }
    }

    /// Works on files and converts errors to this module's.
    static func posix<Result>(_ body: () throws(PosixError) -> Result) throws(MovieError) -> Result {
        do throws(PosixError) {
            return try body()
        } catch {
            throw MovieError(error)
        }
    }
}

/// The sound of a clip: signed samples of 16 bits, little-endian, channels interleaved.
public struct MovieSound: Hashable, Sendable {
    /// The samples, from the clip's start. A last incomplete one is left out.
    public var samples: [UInt8]
    /// Samples per second of one channel, in hertz.
    public var sampleRate: Int
    /// Number of channels, 1 to 8.
    public var channelCount: Int

    /// Creates sound without validation. It is validated when it is written.
    public init(samples: [UInt8], sampleRate: Int, channelCount: Int) {
        self.samples = samples
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }
}

extension OpenFile {
    /// Returns up to `count` bytes from `offset`, and converts errors to this module's.
    func movieBytes(at offset: Int64, count: Int) throws(MovieError) -> [UInt8] {
        do throws(PosixError) {
            return try read(at: offset, count: count)
        } catch {
            throw MovieError(error)
        }
    }

    /// Returns the file's length, and converts errors to this module's.
    func movieByteCount() throws(MovieError) -> Int64 {
        do throws(PosixError) {
            return try byteCount()
        } catch {
            throw MovieError(error)
        }
    }
}
