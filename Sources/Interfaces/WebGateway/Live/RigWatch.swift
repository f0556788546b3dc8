internal import CaptureModel
internal import NIOCore
internal import RigClient
internal import RigDocuments

/// The state of the rig and its events, for all pages that are open. Nobody is asked while no page is.
actor RigWatch {
    /// How often the state is asked for.
    static let interval = Duration.seconds(1)
    /// Events that may wait for a page that is slow. Beyond it the page's stream ends, and the page connects again.
    static let eventLimit = 256

    private typealias Readers = [Int: AsyncStream<ByteBuffer>.Continuation]

    private let client: RigClient
    private let time: any TimeSource
    private var stateReaders: Readers = [:]
    private var eventReaders: Readers = [:]
    private var lastReader = 0
    private var tasks: [Task<Void, Never>] = []
    private var newest: ByteBuffer?
    /// The cameras of the newest state.
    private var cameras: Set<DeviceID> = []
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

    private func note(_ devices: [DeviceStatus]) {
        cameras = Set(devices.filter { $0.device.mediaType == .video }.map(\.device.id))
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
        guard stateReaders.isEmpty, eventReaders.isEmpty else { return }
        for task in tasks { task.cancel() }
        (tasks, newest) = ([], nil)
    }

    private func watchState() async {
        var isLost = false
        while !Task.isCancelled {
            do {
                let (status, devices) = (try await client.status(), try await client.devices())
                isLost = false
                guard !Task.isCancelled else { return }
                note(devices)
                show(.rig(StatusDocument(status, devices: devices), DevicesDocument(devices)))
            } catch {
                guard !Task.isCancelled else { return }
                // Said once: pages count the time since then themselves.
                if !isLost { show(.coordinatorLost("\(error)")) }
                isLost = true
            }
            try? await time.sleep(for: Self.interval)
        }
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
