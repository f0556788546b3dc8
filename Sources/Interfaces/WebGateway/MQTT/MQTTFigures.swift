internal import Mosquitto
internal import PosixSupport

/// What `/metrics` says of the bridge.
struct MQTTFigures: Hashable, Sendable {
    var isConnected = false
    /// Whether this gateway is the one that publishes.
    var isOwner = false
    /// Connections that ended or did not come about.
    var endedConnections: UInt64 = 0
    /// Of the connections that have ended.
    private var past = MQTTConnection.Counters()
    /// Of the connection that there is.
    var current = MQTTConnection.Counters()
    /// Pictures that were longer than ``MQTTPublisher/pictureLimit``, could not be turned upright, or did not come.
    var missingPictures: UInt64 = 0
    /// Messages that asked for a shot, by what became of them.
    var triggers: [MQTTTriggerResult.State: UInt64] = [:]

    var messages: MQTTConnection.Counters {
        var sum = past
        sum.sent += current.sent
        sum.dropped += current.dropped
        sum.refused += current.refused
        sum.unread += current.unread
        return sum
    }

    /// The connection has ended.
    mutating func end(_ counters: MQTTConnection.Counters) {
        current = counters
        past = messages
        current = MQTTConnection.Counters()
        (isConnected, isOwner) = (false, false)
        endedConnections += 1
    }
}

extension RigMetrics {
    /// The figures of the bridge; none without one.
    static func bridge(_ figures: MQTTFigures?) -> [MetricFamily] {
        guard let figures else { return [] }
        func family(
            _ name: String, _ kind: MetricFamily.Kind, _ help: String,
            _ samples: [(value: Double, labels: [(name: String, value: String)])]
        ) -> MetricFamily {
            var family = MetricFamily("caprig_mqtt_\(name)", kind, help)
            for sample in samples { family.add(sample.value, sample.labels) }
            return family
        }
        let messages = figures.messages
        return [
            family(
                "connected", .gauge, "Whether the gateway is connected to the broker.",
                [(figures.isConnected ? 1 : 0, [])]),
            family(
                "publishing", .gauge, "Whether this gateway is the one that publishes.", [(figures.isOwner ? 1 : 0, [])]
            ),
            family(
                "ended_connections_total", .counter, "Connections to the broker that ended or did not come about.",
                [(Double(figures.endedConnections), [])]),
            family("sent_messages_total", .counter, "Messages that the broker got.", [(Double(messages.sent), [])]),
            family(
                "lost_messages_total", .counter, "Messages that were not delivered, by cause.",
                [
                    (Double(messages.dropped), [("cause", "tooMany")]),
                    (Double(messages.refused), [("cause", "refused")]),
                    (Double(messages.unread), [("cause", "unread")]),
                ]),
            family(
                "missing_pictures_total", .counter,
                "Pictures that were too large, could not be turned upright or did not come.",
                [(Double(figures.missingPictures), [])]),
            family(
                "triggers_total", .counter, "Messages that asked for a shot, by what became of them.",
                MQTTTriggerResult.State.allCases.map { (Double(figures.triggers[$0] ?? 0), [("state", $0.rawValue)]) }),
        ]
    }
}
