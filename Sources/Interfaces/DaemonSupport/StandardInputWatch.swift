import Glibc
import PosixSupport
import ServiceLifecycle

/// A service that ends when standard input does.
struct StandardInputWatch: Service {
    func run() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        // The thread blocks in read(2) for the life of the process, so nobody joins it.
        let thread = try NamedThread(name: "stdin") {
            var byte: UInt8 = 0
            while true {
                let count = unsafe read(STDIN_FILENO, &byte, 1)
                if count == 0 || (count < 0 && errno != EINTR) { break }
            }
            end.finish()
        }
        thread.detach()
        await cancelWhenGracefulShutdown {
            for await _ in ends {}
        }
    }
}
