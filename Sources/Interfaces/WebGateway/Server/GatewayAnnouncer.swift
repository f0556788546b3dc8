internal import CaptureModel
internal import Logging
internal import RigClient

/// Has the rig list this gateway in its status, so that people find its page and can check its certificate.
struct GatewayAnnouncer {
    let client: RigClient
    /// Where browsers reach the gateway now. It may change with the machine's network.
    let address: @Sendable () -> String
    /// The digest of the certificate that connections use now, if the gateway has made it itself.
    let certificate: @Sendable () -> ContentDigest?
    let time: any TimeSource
    let log: Logger

    /// Announces until the task is cancelled. What the rig refuses is told once, and again once it has changed.
    func run() async throws {
        var (told, announced): (String?, String?)
        while true {
            let address = address()
            if let announced, announced != address { try? await client.withdrawGateway(address: announced) }
            announced = address
            do throws(RigClientError) {
                try await client.announceGateway(address: address, certificate: certificate())
                told = nil
            } catch {
                if told != "\(error)" {
                    log.warning("the rig does not list this gateway", metadata: ["reason": "\(error)"])
                }
                told = "\(error)"
            }
            try await time.sleep(for: RigClient.announcementInterval)
        }
    }

    /// Has the rig list this gateway no longer. Waits for a moment only: the gateway ends, and the coordinator may have ended before.
    func withdraw() async {
        let (end, ended) = AsyncStream.makeStream(of: Void.self)
        // Unstructured: a request that nobody answers ends later than this gateway may.
        Task {
            try? await client.withdrawGateway(address: address())
            ended.finish()
        }
        Task {
            try? await time.sleep(for: Self.farewell)
            ended.finish()
        }
        for await _ in end {}
    }

    private static let farewell = Duration.milliseconds(500)
}
