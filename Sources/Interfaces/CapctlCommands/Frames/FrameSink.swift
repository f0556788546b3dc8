internal import Foundation
internal import Glibc

/// Where `capctl preview` writes: standard output or a file.
final class FrameSink {
    private let handle: FileHandle
    private let name: String

    /// - Parameter path: A file, made or emptied; nil for standard output.
    /// - Throws: ``CommandFailure`` where it cannot be made, and where standard output is a terminal.
    init(path: String?) throws {
        guard let path else {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw CommandFailure(
                    .other,
                    "pictures are not for a terminal; name a file with --output, or pipe them: | ffplay -f mjpeg -")
            }
            (handle, name) = (.standardOutput, "standard output")
            return
        }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandFailure(.other, "\(path) cannot be written; check the folder and its permissions")
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        name = path
    }

    /// Blocks until the bytes are written.
    func write(_ bytes: [UInt8]) throws {
        do {
            try handle.write(contentsOf: Data(bytes))
        } catch {
            throw CommandFailure(.other, "\(name) cannot be written: \(error)")
        }
    }
}
