internal import CaptureModel
internal import NIOCore
internal import RigClient
internal import RigDocuments
internal import RigSecurity

/// The state of the rig, its events, and whether the sessions of pages are valid, for all pages that are open.
///
/// The state is asked for in the name of a page's session, and so tells about that session too. A gateway whose pages have one session asks
/// the coordinator one question each second, however many pages there are, and one more for each further session. Nobody is asked while no
/// page is open.
actor RigWatch {
    /// How often the state and the sessions are asked for. A session that was ended is told as such within this time and that of an answer.
    static let interval = Duration.seconds(1)
    /// Events that may wait for a page that is slow. Beyond it the page's stream ends, and the page connects again.
    static let eventLimit = 256

    private typealias Readers = [Int: AsyncStream<ByteBuffer>.Continuation]

    private let client: RigClient
    private let time: any TimeSource
    private var stateReaders: Readers = [:]
    private var eventReaders: Readers = [:]
    private var sessionReaders: [Int: (session: SessionSecret, AsyncStream<SessionStanding>.Continuation)] = [:]
    private var lastReader = 0
    private var tasks: [Task<Void, Never>] = []
    private var newest: ByteBuffer?
    /// The cameras of the newest state.
    private var cameras: Set<DeviceID> = []
    /// Why those of them have no live pictures that have none.
    private var livePictureProblems: [DeviceID: String] = [:]
    /// Why no picture of them comes, should none come; empty if the coordinator did not answer.
    private var livePictureSilences: [DeviceID: String] = [:]
    /// Pages that were too far behind, since the start of the gateway.
    private(set) var endedReaders: UInt64 = 0

    init(client: RigClient, time: any TimeSource) {
        self.client = client
        self.time = time
    }

    /// The state as text messages, beginning with the newest. A page that is slow gets the newest only.
    func states() -> AsyncStream<ByteBuffer> {
        let (states, state) = AsyncStream.makeStream(of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(1))
        let reader = begin()
        stateReaders[reader] = state
        if let newest { state.yield(newest) }
        state.onTermination = { _ in Task { await self.end(reader) } }
        return states
    }

    /// Events and progress of shots as text messages. Ends early for a page that is too far behind.
    func events() -> AsyncStream<ByteBuffer> {
        let (events, event) = AsyncStream.makeStream(
            of: ByteBuffer.self, bufferingPolicy: .bufferingOldest(Self.eventLimit))
        let reader = begin()
        eventReaders[reader] = event
        event.onTermination = { _ in Task { await self.end(reader) } }
        return events
    }

    /// What the coordinator says of a page's session, which needs the permission to view. Of several answers the newest.
    func standings(of session: SessionSecret) -> AsyncStream<SessionStanding> {
        let (standings, standing) = AsyncStream.makeStream(
            of: SessionStanding.self, bufferingPolicy: .bufferingNewest(1))
        let reader = begin()
        sessionReaders[reader] = (session, standing)
        standing.onTermination = { _ in Task { await self.end(reader) } }
        return standings
    }

    /// Tells every page something, such as the progress of a shot.
    func tell(_ message: LiveMessage) {
        guard let text = message.text else { return }
        for (reader, event) in eventReaders {
            guard case .dropped = event.yield(text) else { continue }
            endedReaders += 1
            event.finish()
            eventReaders[reader] = nil
        }
    }

    /// Whether the rig has a camera.
    func knows(_ camera: DeviceID) async -> Bool {
        if cameras.contains(camera) { return true }
        guard let devices = try? await client.devices() else { return false }
        note(devices)
        return cameras.contains(camera)
    }

    /// Why a camera that the rig has has no live pictures; nil if it may have them.
    func livePictureProblem(of camera: DeviceID) -> String? { livePictureProblems[camera] }

    /// Why no picture of a camera comes, as of the newest devices that were noted; nil if these do not tell, or the coordinator has not answered
    /// since. The coordinator is not asked, since the pictures of whoever wants to know would wait for it.
    func livePictureSilence(of camera: DeviceID) -> String? { livePictureSilences[camera] }

    /// Notes the devices of the rig, which somebody has just asked for.
    func note(_ devices: [DeviceStatus]) {
        let videos = devices.filter { $0.device.mediaType == .video }
        cameras = Set(videos.map(\.device.id))
        (livePictureProblems, livePictureSilences) = ([:], [:])
        for status in devices { livePictureProblems[status.device.id] = status.livePictureProblem }
        for status in videos { livePictureSilences[status.device.id] = status.livePictureSilence }
    }

    private func begin() -> Int {
        lastReader += 1
        // Unstructured, since they live as long as a page is open.
        if tasks.isEmpty { tasks = [Task { await self.watchState() }, Task { await self.watchEvents() }] }
        return lastReader
    }

    private func end(_ reader: Int) {
        stateReaders[reader] = nil
        eventReaders[reader] = nil
        sessionReaders[reader] = nil
        guard stateReaders.isEmpty, eventReaders.isEmpty, sessionReaders.isEmpty else { return }
        for task in tasks { task.cancel() }
        (tasks, newest) = ([], nil)
    }

    private func watchState() async {
        var isLost = false
        while !Task.isCancelled {
            isLost = await ask(wasLost: isLost)
            try? await time.sleep(for: Self.interval)
        }
    }

    /// Asks for the state in the name of one session, and about all others at the same time.
    /// - Returns: Whether the coordinator did not answer.
    func ask(wasLost: Bool) async -> Bool {
        var sessions = Dictionary(sessionReaders.values.map { ($0.session.bytes, $0.session) }) { first, _ in first }
        let speaker = sessions.popFirst()?.value
        return await withTaskGroup(of: Void.self) { [client] group in
            for session in sessions.values {
                group.addTask {
                    await self.tell(session, await SessionStanding.asked(of: session, needing: .view, client))
                }
            }
            return await askState(in: speaker, wasLost: wasLost)
        }
    }

    private func askState(in session: SessionSecret?, wasLost: Bool) async -> Bool {
        do {
            let (status, devices) = try await RigClient.$session.withValue(session) { try await client.state() }
            guard !Task.isCancelled else { return false }
            if let session { tell(session, .valid) }
            note(devices)
            show(.rig(StatusDocument(status, devices: devices), DevicesDocument(devices)))
            return false
        } catch {
            guard !Task.isCancelled else { return wasLost }
            if let session {
                let standing = SessionStanding(error)
                tell(session, standing)
                // The gateway may view, whoever may no longer.
                if case .refused = standing { return await askState(in: nil, wasLost: wasLost) }
            }
            livePictureSilences = [:]
            // Said once: pages count the time since then themselves.
            if !wasLost { show(.coordinatorLost("\(error)")) }
            return true
        }
    }

    private func tell(_ session: SessionSecret, _ standing: SessionStanding) {
        for (other, reader) in sessionReaders.values where other.bytes == session.bytes { reader.yield(standing) }
    }

    private func show(_ message: LiveMessage) {
        guard let text = message.text else { return }
        newest = text
        for state in stateReaders.values { state.yield(text) }
    }

    private func watchEvents() async {
        while !Task.isCancelled {
            do {
                for try await item in client.events(from: .now) {
                    guard !Task.isCancelled else { return }
                    if case .event(let event) = item { tell(.event(EventDocument(event))) }
                }
            } catch {
                try? await time.sleep(for: Self.interval)
            }
        }
    }
}
