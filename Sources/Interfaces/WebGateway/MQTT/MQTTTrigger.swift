internal import CaptureModel
internal import FoundationEssentials
internal import Hummingbird
internal import Mosquitto
internal import OpenSSL
internal import RigDocuments
internal import StrictJSON

/// A message that asks for a shot: the document of a request, with `id` and `sent` beside its members.
struct MQTTTrigger {
    /// How far `sent` and this machine's wall clock may be apart. An older message has waited somewhere, and nobody wants its shot by then.
    static let tolerance = Duration.seconds(30)
    private static let idLengths = 1...64

    private struct Envelope: Decodable, ValidatedDocument {
        let id: String
        let sent: String
        let request: ShotRequest

        private enum CodingKeys: String, CodingKey {
            case id = "id"
            case sent = "sent"
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            id = try members.decode(String.self, forKey: .id)
            sent = try members.decode(String.self, forKey: .sent)
            request = try ShotRequest(from: decoder)
        }

        func validate() throws(InvalidDocument) {
            try request.validate()
            guard request.settings.movie == nil else {
                throw InvalidDocument("settings.movie", "a message begins no take; leave it out")
            }
        }
    }

    let id: String
    /// Nanoseconds since 1970.
    let sent: Int64
    let request: TriggerRequest

    /// - Parameters:
    ///   - base: What the rig's topics begin with.
    ///   - now: Nanoseconds since 1970.
    /// - Throws: ``GatewayProblem``.
    init(_ message: MQTTMessage, base: String, now: Int64) throws {
        guard !message.isRetained else {
            throw GatewayProblem.badRequest("a retained message triggers nothing; publish it without the retain flag")
        }
        let envelope = try Self.envelope(message.payload)
        guard Self.idLengths.contains(envelope.id.utf8.count) else {
            throw GatewayProblem.member("id", "must have 1 to 64 bytes, and be another for every shot")
        }
        guard let sent = RFC3339.realtimeNanoseconds(envelope.sent) else {
            throw GatewayProblem.member(
                "sent", "must be a date with a zone, such as 2026-11-26T18:00:00.5Z, and is '\(envelope.sent)'")
        }
        let age = Duration.nanoseconds(now) - .nanoseconds(sent)
        guard age <= Self.tolerance, age >= .zero - Self.tolerance else {
            throw GatewayProblem(
                .unprocessableContent, "expired",
                "the message was sent at \(envelope.sent), more than \(Self.tolerance.components.seconds) s from \(RFC3339.text(realtimeNanoseconds: now)) "
                    + "by the gateway's clock; send it again, and check both clocks")
        }
        id = envelope.id
        self.sent = sent
        request = TriggerRequest(
            shot: Self.shot(base: base, id: envelope.id, sent: sent), request: envelope.request)
    }

    private static func envelope(_ payload: [UInt8]) throws -> Envelope {
        do throws(InvalidDocument) {
            return try StrictJSON.decode(from: payload)
        } catch {
            throw GatewayProblem(error)
        }
    }

    /// The shot's id, the same for every gateway that gets the message: so the rig takes one picture.
    static func shot(base: String, id: String, sent: Int64) -> ShotID {
        var digest = DigestNumbers(bytes: SHA256.hash(Array("\(base)\n\(id)".utf8)))
        return ShotID(unixMilliseconds: sent / 1_000_000, using: &digest)
    }

    /// The id of a message that is refused, where it can be read.
    static func id(of message: MQTTMessage) -> String? {
        struct Named: Decodable { var id: String }
        guard message.payload.count <= StrictJSON.longest else { return nil }
        let id = (try? JSONDecoder().decode(Named.self, from: Data(message.payload)))?.id
        return id.flatMap { idLengths.contains($0.utf8.count) ? $0 : nil }
    }
}

/// The bytes of a digest in place of random numbers.
private struct DigestNumbers: RandomNumberGenerator {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> UInt64 {
        let number = (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[(position + $1) % bytes.count]) }
        position += 8
        return number
    }
}

/// The ids of the newest messages, so that one id is one shot also if `sent` differs. Bounded: the oldest is forgotten.
struct RecentTriggers {
    static let limit = 1024

    private var sent: [String: Int64] = [:]
    private var order: [String] = []

    /// - Throws: ``GatewayProblem`` if the id was used by another message.
    mutating func note(_ trigger: MQTTTrigger) throws {
        if let earlier = sent[trigger.id] {
            guard earlier != trigger.sent else { return }
            throw GatewayProblem(
                .conflict, "conflict",
                "the id '\(trigger.id)' was used by a message with another 'sent'; use a new id for a new shot, and repeat a message unchanged"
            )
        }
        if order.count == Self.limit { sent[order.removeFirst()] = nil }
        order.append(trigger.id)
        sent[trigger.id] = trigger.sent
    }
}

/// What becomes of a message that asks for a shot.
struct MQTTTriggerResult: Encodable {
    enum State: String, Encodable, CaseIterable {
        /// The rig takes the picture.
        case accepted
        /// It does not; `problem` says why.
        case refused
        /// Every camera has an outcome, or the rig has given up waiting; `outcome` is the shot's status.
        case complete
        /// The gateway has lost the coordinator after it had accepted.
        case unknown
    }

    /// Absent where the message has none.
    var id: String?
    var outcome: Shot.Status?
    var problem: GatewayProblem?
    var report: ShotReportDocument?
    var shot: ShotID?
    var state: State
}
