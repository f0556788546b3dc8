import CaptureModel

/// Publishes what can be requested of the node's cameras, whenever it has changed: ``EventName/abilityChanged``.
struct AbilityWatch: Sendable {
    let node: CaptureNode
    let events: NodeEvents
    let clock: any TimeSource

    /// The time between two readings.
    static let interval = Duration.milliseconds(500)

    /// Runs until the task is cancelled.
    func run() async {
        var gauges: [DeviceID: AbilityGauge] = [:]
        while true {
            for status in await node.statuses() where status.device.mediaType == .video {
                guard let session = status.condition.session else { continue }
                let changes = gauges[status.device.id, default: AbilityGauge()].update(session, at: clock.now())
                for change in changes {
                    events.record(.abilityChanged, device: status.device.id, details: change.details)
                }
            }
            do { try await clock.sleep(for: Self.interval) } catch { return }
        }
    }
}

/// Which changes of one camera's abilities are published. `docs/design/session.md` has the rules. A value without a
/// clock.
struct AbilityGauge: Sendable {
    /// One ability, as it is published.
    struct Change: Hashable, Sendable {
        var name: String
        var ability: SessionAbilities.Ability

        var details: [String: String] {
            var details = ["ability": name, "available": "\(ability.isAllowed)"]
            details["reason"] = ability.reason
            return details
        }
    }

    fileprivate struct State {
        /// What was published last; nil before the first time.
        var published: SessionAbilities.Ability?
        var publishedAt: LocalTime?
        var lastReading: SessionAbilities.Ability?
    }

    /// A reason that changes all the time, such as one with figures, is published at most this often.
    static let reasonInterval = Duration.seconds(10)

    private var states: [String: State] = [:]

    /// - Returns: What is to be published now, in the order of the abilities.
    mutating func update(_ session: SessionCondition, at now: LocalTime) -> [Change] {
        guard !session.isCapturing else { return [] }
        return session.abilities.all.compactMap { name, ability in
            let isPublished = states[name, default: State()].update(ability, at: now)
            return isPublished ? Change(name: name, ability: ability) : nil
        }
    }
}

extension AbilityGauge.State {
    /// - Returns: Whether the ability is to be published.
    fileprivate mutating func update(_ ability: SessionAbilities.Ability, at now: LocalTime) -> Bool {
        // A reason may differ from reading to reading. Only whether it is allowed has to last.
        let isSteady = lastReading?.isAllowed == ability.isAllowed
        lastReading = ability
        guard isSteady, ability != published else { return false }
        if let published, let publishedAt, published.isAllowed == ability.isAllowed,
            now - publishedAt < AbilityGauge.reasonInterval
        {
            return false
        }
        (published, publishedAt) = (ability, now)
        return true
    }
}

extension SessionCondition {
    /// Whether it runs, and captures that end by themselves take abilities away until then.
    fileprivate var isCapturing: Bool {
        guard phase == .running else { return false }
        return livePhotosInProgress > 0 || recording != nil || readiness == .waitingForCapture
            || readiness == .waitingForProcessing
    }
}
