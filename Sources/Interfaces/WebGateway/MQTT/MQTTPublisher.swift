internal import CaptureModel
internal import HTTPTypes
internal import Mosquitto
internal import NIOCore
internal import PosixSupport
internal import RigClient
internal import RigDocuments
internal import RigWire

/// What the gateway that publishes does with its connection.
actor MQTTPublisher {
    /// How often the rig is asked.
    private static let interval = Duration.seconds(1)
    /// The longest picture that is published.
    static let pictureLimit = 256 << 10
    /// Cameras whose pictures are fetched at a time.
    private static let pictureFetches = 4
    /// Messages that ask for a shot whose result is not known yet.
    private static let triggerLimit = 64

    private let configuration: MQTTBridgeConfiguration
    private let topics: MQTTTopics
    private let rig: GatewayRig
    private let connection: MQTTConnection
    private let figures: Locked<MQTTFigures>
    private var published: PublishedRig
    private var recent = RecentTriggers()
    private var openTriggers = 0
    private var runningCameras: [DeviceID] = []

    init(
        _ configuration: MQTTBridgeConfiguration, _ topics: MQTTTopics, _ rig: GatewayRig, _ connection: MQTTConnection,
        _ figures: Locked<MQTTFigures>
    ) {
        self.configuration = configuration
        self.topics = topics
        self.rig = rig
        self.connection = connection
        self.figures = figures
        published = PublishedRig(
            topics: topics,
            discovery: MQTTDiscovery(
                topics: topics, hasPictures: configuration.pictureInterval != nil,
                hasTrigger: configuration.token != nil))
    }

    /// Publishes until the task is cancelled.
    func run() async {
        connection.subscribe(MQTTSubscription(topics.keptStates, wantsRetained: true))
        if let kept = topics.keptDiscovery { connection.subscribe(MQTTSubscription(kept, wantsRetained: true)) }
        if let status = topics.homeAssistantStatus {
            connection.subscribe(MQTTSubscription(status, wantsRetained: false))
        }
        if configuration.token != nil { connection.subscribe(MQTTSubscription(topics.trigger, wantsRetained: false)) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.beat() }
            group.addTask { await self.watchState() }
            group.addTask { await self.watchEvents() }
            if let interval = configuration.pictureInterval {
                group.addTask { await self.watchPictures(every: interval) }
            }
        }
    }

    private func publish(_ states: [MQTTMessage]) {
        for state in states { connection.publish(state: state) }
    }

    private func beat() async {
        repeat {
            publish([MQTTMessage(topics.availability, MQTTTopics.online, isRetained: true)])
        } while (try? await rig.time.sleep(for: BridgeElection.beat)) != nil
    }

    // MARK: State and events

    private func watchState() async {
        repeat {
            do {
                let (status, devices) = try await rig.client.state()
                runningCameras = devices.filter(\.isPublished).map(\.device.id)
                publish(published.show(status, devices, at: rig.time.now()))
            } catch {
                guard !Task.isCancelled else { return }
                publish(published.coordinatorIsSilent())
            }
        } while (try? await rig.time.sleep(for: Self.interval)) != nil
    }

    private func watchEvents() async {
        while !Task.isCancelled {
            do {
                for try await item in rig.client.events(from: .now) {
                    guard !Task.isCancelled else { return }
                    if case .event(let event) = item { show(event) }
                }
            } catch {
                try? await rig.time.sleep(for: Self.interval)
            }
        }
    }

    private func show(_ event: FeedEvent) {
        let happened = event.source.event
        if let message = try? MQTTMessage(topics.event(happened.name), document: EventDocument(event)) {
            connection.publish(event: message)
        }
        if let device = happened.device, let text = happened.details["skewNanoseconds"], let skew = Int64(decimal: text)
        {
            publish(published.note(skewNanoseconds: skew, of: happened.shot, by: device))
        }
    }

    // MARK: Pictures

    /// A camera that does not run is not started for a picture.
    private func watchPictures(every interval: Duration) async {
        while (try? await rig.time.sleep(for: interval)) != nil {
            var cameras = runningCameras[...]
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.pictureFetches {
                    if let camera = cameras.popFirst() { group.addTask { await self.showPicture(of: camera) } }
                }
                while await group.next() != nil {
                    if let camera = cameras.popFirst() { group.addTask { await self.showPicture(of: camera) } }
                }
            }
        }
    }

    private func showPicture(of camera: DeviceID) async {
        guard let picture = await picture(of: camera), let jpeg = await rig.turner.jpeg(of: picture),
            jpeg.readableBytes <= Self.pictureLimit
        else {
            return figures.withLock { $0.missingPictures += 1 }
        }
        publish([MQTTMessage(topics.picture(of: camera), Array(jpeg.readableBytesView), quality: .atMostOnce)])
    }

    /// The newest picture of a camera; nil if none comes.
    private func picture(of camera: DeviceID) async -> Picture? {
        guard let news = try? await rig.pictures.pictures(of: FrameTopic(device: camera, kind: .preview)) else {
            return nil
        }
        for await item in news {
            if case .picture(let picture) = item { return picture }
            return nil
        }
        return nil
    }

    // MARK: What is received

    func receive(_ message: MQTTMessage) {
        if message.topic == topics.trigger {
            trigger(message)
        } else if message.topic == topics.homeAssistantStatus {
            if message.payload == MQTTTopics.online { publish(published.repeatAnnouncements()) }
        } else if message.payload.isEmpty {
            // Something was removed, which is what follows here.
        } else if let device = topics.device(ofState: message.topic) {
            publish(published.judge(keptState: device))
        } else {
            publish(published.judge(keptDiscovery: message.topic))
        }
    }

    private func trigger(_ message: MQTTMessage) {
        do {
            let trigger = try MQTTTrigger(
                message, base: topics.base, now: rig.time.wallClockPair().realtimeNanoseconds)
            try recent.note(trigger)
            guard openTriggers < Self.triggerLimit else {
                throw GatewayProblem(
                    .serviceUnavailable, "busy",
                    "\(Self.triggerLimit) shots of messages are under way, which is the most")
            }
            openTriggers += 1
            // Unstructured: a shot goes on, and its result is published, whatever else is received.
            Task {
                await self.run(trigger)
                self.openTriggers -= 1
            }
        } catch {
            tell(MQTTTriggerResult(id: MQTTTrigger.id(of: message), problem: Self.problem(error), state: .refused))
        }
    }

    private func run(_ trigger: MQTTTrigger) async {
        let (id, shot) = (trigger.id, trigger.request.shot)
        do {
            let run = try await ShotRoutes.known(shot) {
                try await TriggerRun.begin(configuration.token, rig) { $0.trigger(trigger.request) }
            }
            tell(MQTTTriggerResult(id: id, shot: shot, state: .accepted))
            // The coordinator says itself when it gives up, or falls silent.
            guard let located = await run.answer(within: .seconds(86_400), rig.time) else {
                return tell(MQTTTriggerResult(id: id, shot: shot, state: .unknown))
            }
            tell(
                MQTTTriggerResult(
                    id: id, outcome: located.shot.status, report: ShotReportDocument(located), shot: shot,
                    state: .complete))
        } catch {
            tell(MQTTTriggerResult(id: id, problem: Self.problem(error), shot: shot, state: .refused))
        }
    }

    private func tell(_ result: MQTTTriggerResult) {
        figures.withLock { $0.triggers[result.state, default: 0] += 1 }
        if let message = try? MQTTMessage(topics.triggerResult, document: result) { connection.publish(event: message) }
    }

    private static func problem(_ error: any Error) -> GatewayProblem {
        switch error {
        case let problem as GatewayProblem: problem
        case let error as RigClientError: GatewayProblem(error)
        default: GatewayProblem(.internalServerError, "failed", "\(error)")
        }
    }
}

extension DeviceStatus {
    /// Whether pictures of the device are published. The state of a camera without live pictures says why there are none.
    var isPublished: Bool {
        device.mediaType == .video && condition.state == .running && livePictureProblem == nil
    }
}
