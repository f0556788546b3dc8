internal import CaptureModel
internal import Logging
internal import Mosquitto
internal import PosixSupport

/// A gateway as a bridge between the rig and an MQTT broker. docs/mqtt.md describes what it publishes and takes.
///
/// It has one connection at a time, as a standby or as the owner (``BridgeElection``). While the broker is away, nothing waits for it: what is
/// published when it is back is the state that the rig then has.
actor MQTTBridge {
    /// How often the election is looked at.
    private static let tick = Duration.milliseconds(250)
    /// How long the end of a connection may take when the gateway ends.
    private static let farewell = Duration.seconds(1)

    private let configuration: MQTTBridgeConfiguration
    private let rig: GatewayRig
    private let topics: MQTTTopics
    private let figures: Locked<MQTTFigures>
    private let standbyID: String
    private var election: BridgeElection
    /// The last reason why there is no connection, so that it is said once.
    private var toldReason: String?
    private var toldRefusals: Set<String> = []

    init(_ configuration: MQTTBridgeConfiguration, _ rig: GatewayRig, figures: Locked<MQTTFigures>) {
        self.configuration = configuration
        self.rig = rig
        self.figures = figures
        topics = MQTTTopics(prefix: configuration.prefix, discovery: configuration.discoveryPrefix, rig: rig.name)
        standbyID = "\(topics.ownerID)-\(String(UInt32.random(in: .min ... .max), radix: 16))"
        election = BridgeElection(at: rig.time.now(), fraction: .random(in: 0...1))
    }

    /// Connects, publishes while this gateway is the owner, and connects again, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            if case .connect(let role) = election.next(at: rig.time.now()) {
                var next: BridgeElection.Role? = role
                while let role = next, !Task.isCancelled { next = await attend(role) }
            } else {
                try? await rig.time.sleep(for: Self.tick)
            }
        }
    }

    /// Makes a connection and serves it until its end.
    /// - Returns: As what to connect at once; nil if the election decides later.
    private func attend(_ role: BridgeElection.Role) async -> BridgeElection.Role? {
        let connection: MQTTConnection
        do {
            connection = try MQTTConnection(settings(role))
        } catch {
            noteEnd(error)
            return nil
        }
        let next = await withTaskGroup(of: BridgeElection.Role?.self) { group in
            group.addTask {
                await self.follow(connection, role)
                return nil
            }
            group.addTask { await self.watchElection(connection) }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        if Task.isCancelled || next != nil { await leave(connection, role) }
        figures.withLock { $0.end(connection.counters) }
        // Where the election has ended the connection, it knows.
        if next == nil, !Task.isCancelled { noteEnd(connection.ending) }
        return next
    }

    private func settings(_ role: BridgeElection.Role) -> MQTTSettings {
        var settings = MQTTSettings(
            host: configuration.host, port: configuration.port, clientID: role == .owner ? topics.ownerID : standbyID)
        (settings.tls, settings.login) = (configuration.tls, configuration.login)
        if role == .owner { settings.will = MQTTMessage(topics.availability, MQTTTopics.offline, isRetained: true) }
        return settings
    }

    /// Returns when the election wants another connection or none.
    private func watchElection(_ connection: MQTTConnection) async -> BridgeElection.Role? {
        while (try? await rig.time.sleep(for: Self.tick)) != nil {
            figures.withLock { $0.current = connection.counters }
            switch election.next(at: rig.time.now()) {
            case nil: continue
            case .connect(let role): return role
            case .giveUp:
                tell("the MQTT broker does not answer", "no answer for \(BridgeElection.patience.text)")
                connection.close(leaving: .atOnce)
                return nil
            }
        }
        return nil
    }

    /// Ends a connection and waits until what waits is sent, or for a moment.
    private func leave(_ connection: MQTTConnection, _ role: BridgeElection.Role) async {
        connection.close(leaving: role == .owner ? .publishingWill : .quietly)
        // Unstructured, since a task that is cancelled cannot wait.
        await Task { [time = rig.time] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in connection.end {} }
                group.addTask { try? await time.sleep(for: Self.farewell) }
                await group.next()
                group.cancelAll()
            }
        }.value
        connection.close(leaving: .atOnce)
    }

    // MARK: What the broker tells

    private func follow(_ connection: MQTTConnection, _ role: BridgeElection.Role) async {
        let publisher = MQTTPublisher(configuration, topics, rig, connection, figures)
        // Unstructured, since it begins when the broker has accepted the connection; it ends below.
        var publishing: Task<Void, Never>?
        for await event in connection.events {
            switch event {
            case .connected:
                begin(role, connection)
                if role == .owner { publishing = Task { await publisher.run() } }
            case .received(let message) where message.topic == topics.availability:
                election.heard(isOnline: message.payload == MQTTTopics.online, at: rig.time.now())
            case .received(let message): await publisher.receive(message)
            case .subscriptionRefused(let filter, let reason): tellRefusal(of: filter, reason)
            case .messageRefused(let topic, let reason): tellRefusal(of: topic, reason)
            }
        }
        publishing?.cancel()
    }

    private func begin(_ role: BridgeElection.Role, _ connection: MQTTConnection) {
        election.connected(at: rig.time.now())
        toldReason = nil
        figures.withLock { figures in
            (figures.isConnected, figures.isOwner) = (true, role == .owner)
        }
        switch role {
        case .standby:
            connection.subscribe(MQTTSubscription(topics.availability, wantsRetained: true))
            rig.log.debug("connected to the MQTT broker", metadata: ["mqtt.role": "standby"])
        case .owner:
            rig.log.info("this gateway publishes to the MQTT broker", metadata: ["mqtt.topics": "\(topics.base)/"])
        }
    }

    private func noteEnd(_ ending: MQTTError?) {
        election.ended(isReplaced: ending?.code == .takenOver, at: rig.time.now())
        if ending?.code == .takenOver {
            rig.log.info("another gateway publishes to the MQTT broker")
        } else if let ending, ending.code != .closed {
            tell("there is no connection to the MQTT broker", "\(ending)")
        }
    }

    private func tell(_ message: Logger.Message, _ reason: String) {
        guard toldReason != reason else { return }
        toldReason = reason
        rig.log.warning(message, metadata: ["reason": "\(reason)"])
    }

    /// Says once for each topic that the broker's rules do not let this client do what it should.
    private func tellRefusal(of topic: String, _ reason: String) {
        guard toldRefusals.count < 64, toldRefusals.insert(topic).inserted else { return }
        rig.log.warning(
            "the MQTT broker refuses a topic; its access rules must allow it",
            metadata: ["mqtt.topic": "\(topic)", "reason": "\(reason)"])
    }
}
