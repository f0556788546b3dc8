package import CaptureModel
package import Catalogue
package import Journal

/// What a front end asks of the rig, and for whom.
package enum RigRequest: Sendable {
    case command(RigCommand, by: Requester)
    case query(RigQuery, by: Requester)

    package var requester: Requester {
        switch self {
        case .command(_, let requester), .query(_, let requester): requester
        }
    }
}

/// Who asks.
package struct Requester: Hashable, Sendable {
    package var principal: Principal
    package var token: RequesterToken

    package init(_ principal: Principal, _ token: RequesterToken) {
        self.principal = principal
        self.token = token
    }
}

/// Tells one requester from another, whatever the front end knows them by; it says nothing else about them.
package struct RequesterToken: Hashable, Sendable {
    private let frontEnd: String
    private let bytes: [UInt8]

    /// - Parameters:
    ///   - frontEnd: The name of the front end.
    ///   - bytes: What it tells its requesters from one another by.
    package init(frontEnd: String, bytes: [UInt8]) {
        self.frontEnd = frontEnd
        self.bytes = bytes
    }
}

/// What changes the rig or the library.
package enum RigCommand: Sendable {
    case trigger(TriggerRequest)
    case stopTake(StopTakeRequest)
    case markTake(MarkTakeRequest)
    /// Of a device or a node's spool; some of these only ask.
    case device(DeviceRequest)
    case forgetDevices([DeviceID])
    /// Changes what is written about a shot.
    case annotate(ShotID, ShotAnnotationEdit)
}

/// What asks the rig or the library.
package enum RigQuery: Sendable {
    case devices
    case status
    case shots(ShotPage)
    case shot(ShotID)
    /// Hashes the stored files of a shot.
    case verification(of: ShotID)
    /// What lies in the library and belongs to no shot.
    case unclaimedFiles
    /// Events after this one, at most so many; the oldest that are held where nil.
    case events(after: EventPosition?, limit: Int)
}

extension RigCommand {
    /// What a line of the log says of it.
    var logged: [String: String] {
        switch self {
        case .trigger(let request): ["command": "trigger", "shot.id": "\(request.shot)"]
        case .stopTake(let request): ["command": "stop", "shot.id": request.take.map { "\($0)" } ?? "running"]
        case .markTake(let request): ["command": "mark", "shot.id": request.take.map { "\($0)" } ?? "running"]
        case .device(let request): ["command": "device", "device": "\(request.subject)"]
        case .forgetDevices(let devices): ["command": "forget", "devices": "\(devices.count)"]
        case .annotate(let shot, _): ["command": "annotate", "shot.id": "\(shot)"]
        }
    }
}
