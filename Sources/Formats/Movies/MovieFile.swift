internal import LibAV
public import PosixSupport

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

/// Why a movie, or a file that contains one, could not be made or read.
public struct MovieError: Error, Hashable, Sendable {
    /// The kind of failure, for use in code.
    public enum Code: String, Hashable, Sendable {
        /// The input contradicts itself: no frame, times that do not increase, a still that is not a frame.
        case invalidInput
        /// The codec or container library failed.
        case codec
        /// The encoder program failed, is missing, or exceeded its time limit.
        case encoder
        /// The work was cancelled, because its result is no longer needed.
        case cancelled
        /// The disk failed; ``MovieError/file`` has the errno.
        case inputOutput
        /// The bytes of a file violate the format.
        case malformed
        /// A recording was cut off before a complete picture was on the disk.
        case empty
    }

    /// The kind of failure.
    public let code: Code
    /// The operation, as it reads after "cannot": `write the clip`.
    public let operation: String
    /// The file concerned.
    public let subject: String
    /// The reason in words.
    public let cause: String
    /// The system call that failed, for ``Code/inputOutput``.
    public let file: PosixError?

    /// - Parameters:
    ///   - operation: As it reads after "cannot".
    ///   - subject: The file.
    ///   - cause: In words.
    public init(_ code: Code, _ operation: String, _ subject: String, _ cause: String) {
        self.code = code
        self.operation = operation
        self.subject = subject
        self.cause = cause
        file = nil
    }

    /// - Parameter subject: The movie to encode.
    init(_ error: ExternalProgramError, subject: String) {
        self.init(error.code == .cancelled ? .cancelled : .encoder, "encode", subject, error.description)
    }

    init(_ error: PosixError) {
        code = .inputOutput
        operation = error.operation
        subject = error.subject
        cause = "\(error.reason) (\(error.name))"
        file = error
    }

    /// Whether freeing disk space helps.
    public var isOutOfSpace: Bool { file?.isOutOfSpace ?? false }
}

extension MovieError: CustomStringConvertible {
    public var description: String {
        file?.description ?? "cannot \(operation) \(subject): \(cause)"
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

/// The time base of every picture track that this module writes.
///
/// 90 000 is divisible by all common frame rates. The movie's time scale is the same, so a time is exact to 6 µs and an
/// edit list does not round it again.
public enum MovieTime {
    /// Units in a second.
    public static let unitsPerSecond: Int64 = 90_000

    /// Returns the unit nearest to a time in nanoseconds.
    public static func units(nanoseconds: Int64) -> Int64 {
        // In two steps, because nanoseconds of a few weeks times 90 000 exceed 64 bits.
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let fraction = rest * unitsPerSecond
        let rounded = (fraction + (fraction < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000
        return seconds * unitsPerSecond + rounded
    }

    /// Returns a time in microseconds, rounded down.
    public static func microseconds(units: Int64) -> Int64 {
        let (seconds, rest) = units.quotientAndRemainder(dividingBy: unitsPerSecond)
        return seconds &* 1_000_000 &+ rest * 1_000_000 / unitsPerSecond
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
