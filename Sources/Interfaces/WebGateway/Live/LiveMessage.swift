internal import CaptureModel
internal import NIOCore
internal import RigClient
internal import RigDocuments
internal import RigWire

/// A text message of the gateway to a page. docs/api/README.md has the table.
enum LiveMessage: Encodable {
    case pong(id: Int, rig: RigTime?)
    case rig(StatusDocument, DevicesDocument)
    case coordinatorLost(String)
    case event(EventDocument)
    case progress(ShotProgressDocument)
    case silent(camera: UInt16, String)
    case present(PresenceDocument)
    case ended(String)

    private enum Key: String, CodingKey {
        case type, id, rig, status, state, detail, event, camera
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        switch self {
        case .pong(let id, let rig):
            try members.encode("pong", forKey: .type)
            try members.encode(id, forKey: .id)
            try members.encodeIfPresent(rig.map { Integer64($0.nanoseconds) }, forKey: .rig)
        case .rig(let status, let devices):
            try members.encode("rig", forKey: .type)
            try members.encode(status, forKey: .status)
            try devices.encode(to: encoder)
        case .coordinatorLost(let detail):
            try members.encode("coordinator", forKey: .type)
            try members.encode("lost", forKey: .state)
            try members.encode(detail, forKey: .detail)
        case .event(let event):
            try members.encode("event", forKey: .type)
            try members.encode(event, forKey: .event)
        case .progress(let progress):
            try members.encode("progress", forKey: .type)
            try progress.encode(to: encoder)
        case .silent(let camera, let detail):
            try members.encode("camera", forKey: .type)
            try members.encode(camera, forKey: .camera)
            try members.encode("silent", forKey: .state)
            try members.encode(detail, forKey: .detail)
        case .present(let document):
            try members.encode("present", forKey: .type)
            try document.encode(to: encoder)
        case .ended(let detail):
            try members.encode("ended", forKey: .type)
            try members.encode(detail, forKey: .detail)
        }
    }

    /// One JSON object; nil if a peer has reported what JSON cannot carry.
    var text: ByteBuffer? {
        (try? JSONText.line(self)).map { ByteBuffer(string: String($0.dropLast())) }
    }
}

/// The progress of a shot that the gateway has triggered.
struct ShotProgressDocument: Encodable {
    /// Captures by phase.
    struct Captures: Encodable {
        var expected, armed, captured, awaitingCompanions, done, partial, missed, failed: Int
    }

    var captures: Captures
    /// T, rig time in nanoseconds.
    var rigNanoseconds: Integer64
    var predictedSpreadNanoseconds: Integer64?
    var shot: String

    init(_ progress: ShotProgress) {
        let counts = progress.captures
        captures = Captures(
            expected: counts.expected, armed: counts.armed, captured: counts.captured,
            awaitingCompanions: counts.awaitingCompanions, done: counts.done, partial: counts.partial,
            missed: counts.missed, failed: counts.failed)
        rigNanoseconds = Integer64(progress.time.nanoseconds)
        predictedSpreadNanoseconds = progress.predictedSpread.map { Integer64($0.nanoseconds) }
        shot = progress.shot.description
    }
}

/// A text message of a page.
struct PageMessage: Decodable {
    enum Kind: String, Decodable {
        case watch, unwatch, ack, ping
    }

    var type: Kind
    var camera: UInt16?
    var device: DeviceID?
    var kind: FrameKind?
    /// Pictures a second; at most 60.
    var rate: Double?
    var id: Int?
}
