import CaptureModel
import RigProtocol
import RigWire

/// What comes on the collect channel, in both directions.
enum CollectFuzz {
    static func run(_ bytes: [UInt8]) throws {
        if let message = WireAgreement.message(WireCollectFromAgent.self, .collect, bytes) {
            switch message.body {
            case .chunk(let chunk): try check(chunk.file)
            case .chunkRefused(let refused):
                try check(refused.file)
                try AgentMessageFuzz.check(refused.problem)
            case .released(let released): try check(released.file)
            case .hello, .keepAlive, nil: break
            }
        }
        if let message = WireAgreement.message(WireCollectFromCoordinator.self, .collect, bytes) {
            switch message.body {
            case .chunkRequest(let request): try check(request.file)
            case .durable(let durable):
                try check(durable.file)
                _ = try? ContentDigest(wire: durable.sha256)
            case .helloRequired, .keepAlive, nil: break
            }
        }
    }

    private static func check(_ key: WireFileKey) throws {
        try WireAgreement.check(key, { try FileKey(wire: $0) }, { $0.wire })
    }
}
