import CaptureModel
import ShotDocuments

/// `capctl trigger --format json`, as far as the tests read it.
struct ShotAnswer: Decodable, Sendable {
    var files: [File]
    var folder: String
    var notConfigured: [String]?
    private var manifest: ShotDocument

    var shot: Shot { manifest.value }

    private enum CodingKeys: String, CodingKey {
        case files, folder, notConfigured
        case manifest = "shot"
    }

    struct File: Decodable, Sendable {
        var boundNanoseconds: Int64?
        var byteCount: Int64?
        var device: DeviceID
        var outcome: CapturedFile.Outcome
        var path: String?
        var problem: CaptureProblem?
        var sha256: String?
        var skewNanoseconds: Int64?
    }

    /// The file of a camera written `node/device`.
    func file(_ device: String) throws -> File {
        guard let found = files.first(where: { $0.device.description == device }) else {
            throw SystemTestError("the answer says nothing of \(device)")
        }
        return found
    }

    var storedPaths: [String] { files.compactMap(\.path) }
}

/// `capctl status --format json`.
struct StatusAnswer: Decodable {
    var nodes: [Node]
    var openShots: Int
    var libraryProblem: String?

    struct Node: Decodable {
        var node: String
        var connected: Bool
        var devices: Int
        var devicesRunning: Int
        var clockBoundNanoseconds: Int64?
        var ringDepthNanoseconds: Int64
        var spoolShortage: String?
    }
}

/// `capctl devices --format json`.
struct DevicesAnswer: Decodable {
    var devices: [Item]

    struct Item: Decodable {
        var device: Device
        var condition: Condition
    }

    struct Device: Decodable {
        var id: String
    }

    struct Condition: Decodable {
        var state: String
        var reason: String?
        var counters: [String: UInt64]
    }

    func condition(_ device: String) throws -> Condition {
        guard let found = devices.first(where: { $0.device.id == device }) else {
            throw SystemTestError("the roster has no \(device)")
        }
        return found.condition
    }
}

/// A line of `capctl events --format json`.
struct EventLine: Decodable {
    var name: String
    var device: String?
    var shot: String?
    var node: String?
    var details: [String: String]
}

/// `capctl demo --format json`.
struct DemoAnswer: Decodable {
    var stills: Int
    var eachExactlyOnce: Bool
    var shots: [Item]
    var dequeueToDurable: Latency
    var timeToDurable: Latency

    struct Item: Decodable {
        var id: ShotID
        var folder: String
        var status: String
    }

    struct Latency: Decodable {
        var p50Nanoseconds: Int64
        var p95Nanoseconds: Int64
    }
}
