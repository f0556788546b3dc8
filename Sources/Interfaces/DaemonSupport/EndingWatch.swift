import CaptureModel
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// A service that ends the process where it does not end by itself in time, or is told to end a second time.
struct EndingWatch: Service {
    /// How long an orderly end may take. What it leaves undone, the next start takes up, as after a crash.
    static let deadline = Duration.seconds(5)

    let clock: any TimeSource
    let log: Logger

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        // Both outlive this service, which ends first: they are what is left when another one does not.
        Task {
            var count = 0
            for await signal in signals {
                count += 1
                if count == 2 { end("a second signal, \(signal)") }
            }
        }
        try await gracefulShutdown()
        Task {
            try await clock.sleep(for: Self.deadline)
            end("its end takes longer than \(Self.deadline)")
        }
    }

    private func end(_ reason: String) {
        log.critical(
            "the process ends at once; its next start takes up what it leaves", metadata: ["reason": "\(reason)"])
        _exit(1)
    }
}
