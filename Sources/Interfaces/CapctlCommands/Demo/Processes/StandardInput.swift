internal import Foundation

/// This process's standard input, read only to learn of its end.
enum StandardInput {
    /// Ends when standard input ends. The thread that reads stays behind until then; the process's end takes it along.
    static var end: AsyncStream<Never> {
        AsyncStream { continuation in
            let thread = Thread {
                while let data = try? FileHandle.standardInput.read(upToCount: 4096), !data.isEmpty {}
                continuation.finish()
            }
            thread.name = "stdin"
            thread.start()
        }
    }
}
