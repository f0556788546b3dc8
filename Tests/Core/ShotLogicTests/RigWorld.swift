import CaptureModel
import CaptureTestSupport
import ShotLogic
import Testing

/// A coordinator, its journal and library, and nodes with rings and spools, in simulated time: messages are delayed and
/// lost, agents and the coordinator are killed and come back. Only what is durable survives a kill.
struct RigWorld {
    /// What happens at an instant of the simulation.
    enum Happening {
        case toNode(NodeName, epoch: Int, ShotAction)
        case toCoordinator(NodeName, epoch: Int, ShotEvent)
        case choose(NodeName, epoch: Int, DeviceID)
        case makeClip(NodeName, epoch: Int, DeviceID)
        case journalWritten(life: Int, Shot)
        case collected(life: Int, FileKey, ContentDigest)
        case timer(life: Int)
        case killNode(NodeName)
        case startNode(NodeName)
        case reconnect(NodeName)
        case killCoordinator
        case startCoordinator
    }

    struct Node {
        var epoch = 1
        var isRunning = true
        var isConnected = true
        var pins: Set<DeviceID> = []
        /// Durable.
        var spool: [DeviceID: Spooled] = [:]
    }

    /// What a spool has of a capture.
    struct Spooled {
        var photo: ContentDigest?
        var clip: Clip?

        enum Clip {
            case owed
            case made(ContentDigest)
            case failed(RigProblem)
        }
    }

    var generator: SeededGenerator
    var now = Sample.at(0)
    var nodes: [NodeName: Node] = [:]
    var machine: ShotMachine?
    var life = 1
    /// Durable: the newest manifest and the files of the library.
    var journal: Shot?
    var library: [FileKey: ContentDigest] = [:]
    var answers = 0
    var isCalm = false
    private var agenda: [(at: RigTime, order: Int, Happening)] = []
    private var order = 0
    private var steps = 0
    private var mintedDigests: UInt8 = 0
    private let isLive: Bool

    init(seed: UInt64, requireAll: Bool, livePhoto: LivePhotoRequest? = nil) throws {
        generator = SeededGenerator(seed: seed)
        isLive = livePhoto != nil
        let shot = try Sample.shot(
            ["a/cam0", "a/cam1", "b/cam0", "c/cam0"], requireAll: requireAll, livePhoto: livePhoto)
        for device in shot.captures.map(\.device.id) { nodes[device.node] = Node() }
        machine = ShotMachine(taking: shot, connected: Set(nodes.keys), schedule: Sample.schedule)
        try coordinator(.begin)
    }

    mutating func schedule(in delay: ClosedRange<Int>, _ happening: Happening) {
        let milliseconds = Int.random(in: delay, using: &generator)
        order += 1
        agenda.append((now + .milliseconds(milliseconds), order, happening))
    }

    /// Lets happen what is due until `end`; whether anything is left after it does not matter.
    mutating func run(until end: RigTime) throws {
        while let next = agenda.min(by: { ($0.at, $0.order) < ($1.at, $1.order) }), next.at <= end {
            agenda.removeAll { $0.order == next.order }
            steps += 1
            try #require(steps < 20_000, "the coordinator spins")
            now = max(now, next.at)
            try happen(next.2)
        }
        now = end
    }

    private mutating func happen(_ happening: Happening) throws {
        switch happening {
        case .toNode(let name, let epoch, let action):
            if nodes[name]?.epoch == epoch, nodes[name]?.isConnected == true { try node(name, action) }
        case .toCoordinator(let name, let epoch, let event):
            if nodes[name]?.epoch == epoch, nodes[name]?.isConnected == true { try coordinator(event) }
        case .choose(let name, let epoch, let device):
            if nodes[name]?.epoch == epoch, nodes[name]?.pins.contains(device) == true { try choose(name, device) }
        case .makeClip(let name, let epoch, let device): if nodes[name]?.epoch == epoch { try makeClip(name, device) }
        case .journalWritten(let life, let shot): try finishWriting(shot, life)
        case .collected(let life, let key, let digest): try finishCollecting(key, digest, life)
        case .timer(let life): if life == self.life { try coordinator(.deadlinePassed) }
        case .killNode(let name): try kill(name)
        case .startNode(let name): try connect(name)
        case .reconnect(let name): try connect(name)
        case .killCoordinator: killCoordinator()
        case .startCoordinator: try startCoordinator()
        }
    }

    private func isLost(_ generator: inout SeededGenerator) -> Bool {
        !isCalm && Int.random(in: 0..<10, using: &generator) == 0
    }

    // MARK: Coordinator

    mutating func coordinator(_ event: ShotEvent) throws {
        guard var machine else { return }
        let actions = machine.handle(event, at: now)
        self.machine = machine
        for action in actions { try carryOut(action) }
        guard let deadline = machine.nextDeadline else { return }
        order += 1
        agenda.append((max(deadline, now), order, .timer(life: life)))
    }

    private mutating func carryOut(_ action: ShotAction) throws {
        switch action {
        case .writeManifest(let shot): schedule(in: 0...30, .journalWritten(life: life, shot))
        case .prepare(let name, _), .fire(let name, _), .cancel(let name, _): post(name, action)
        case .release(let key, let digest):
            #expect(library[key] == digest, "the only copy was released")
            let files = journal?.captures.first { $0.device.id == key.capture.device }?.files
            #expect(
                files?.first { $0.kind == key.kind }?.path != nil, "a file was released that no manifest names")
            post(key.capture.device.node, action)
        case .forget(let key):
            let files = journal?.captures.first { $0.device.id == key.capture.device }?.files
            #expect(files?.first { $0.kind == key.kind }?.outcome == .failed, "a failure was forgotten untold")
            post(key.capture.device.node, action)
        case .collect(let key, _, let digest): schedule(in: 5...300, .collected(life: life, key, digest))
        case .answer, .giveUp: answers += 1
        case .warn(let key, let problem): Issue.record("\(key): \(problem)")
        case .progress, .finished, .began, .overdue, .stopped, .marked: break
        }
    }

    private mutating func post(_ name: NodeName, _ action: ShotAction) {
        guard let epoch = nodes[name]?.epoch, !isLost(&generator) else { return }
        schedule(in: 1...20, .toNode(name, epoch: epoch, action))
    }

    private mutating func finishWriting(_ shot: Shot, _ life: Int) throws {
        guard life == self.life, machine != nil else { return }
        if !isCalm, Int.random(in: 0..<20, using: &generator) == 0 {
            return try coordinator(.manifestFailed(revision: shot.revision, .init(.inputOutput, "Disk error.")))
        }
        journal = shot
        try coordinator(.manifestDurable(revision: shot.revision))
    }

    private mutating func finishCollecting(_ key: FileKey, _ digest: ContentDigest, _ life: Int) throws {
        let device = key.capture.device
        guard life == self.life, let node = nodes[device.node] else { return }
        if let stored = library[key] {
            #expect(stored == digest, "two pictures of one capture")
            return try coordinator(.stored(key, path: "\(key)", at: now))
        }
        guard node.isConnected, node.spool[device]?[key.kind] == digest else { return }
        if !isCalm, Int.random(in: 0..<10, using: &generator) == 0 {
            return try coordinator(.storingFailed(key, .init(.noSpace, "The library is full.")))
        }
        library[key] = digest
        try coordinator(.stored(key, path: "\(key)", at: now))
    }

    private mutating func killCoordinator() {
        guard machine != nil else { return }
        machine = nil
        life += 1
        for name in nodes.keys { nodes[name]?.isConnected = false }
        schedule(in: 50...500, .startCoordinator)
    }

    private mutating func startCoordinator() throws {
        guard machine == nil, let journal else { return }
        let schedule = ShotSchedule(time: Sample.time, now: now, arming: .seconds(1), grace: .seconds(2))
        machine = ShotMachine(resuming: journal, rigClock: Sample.clock, schedule: schedule)
        try coordinator(.begin)
        for name in nodes.keys.sorted() { self.schedule(in: 1...400, .reconnect(name)) }
    }

    // MARK: Nodes

    private mutating func tell(_ name: NodeName, _ event: ShotEvent) {
        guard let epoch = nodes[name]?.epoch, !isLost(&generator) else { return }
        schedule(in: 1...20, .toCoordinator(name, epoch: epoch, event))
    }

    private mutating func node(_ name: NodeName, _ action: ShotAction) throws {
        switch action {
        case .prepare(_, let devices): for device in devices { prepare(name, device) }
        case .fire(_, let devices): for device in devices { fire(name, device) }
        case .cancel(_, let devices): nodes[name]?.pins.subtract(devices)
        case .release(let key, let digest):
            change(key.capture.device) { if $0[key.kind] == digest { $0[key.kind] = nil } }
        case .forget(let key):
            change(key.capture.device) { if key.kind == .pairedVideo, case .failed = $0.clip { $0.clip = nil } }
        default: break
        }
    }

    private mutating func prepare(_ name: NodeName, _ device: DeviceID) {
        guard let node = nodes[name] else { return }
        if let report = report(device) { return tell(name, .captured(report)) }
        if !node.pins.contains(device) {
            guard now <= Sample.time + .seconds(3) else {
                return tell(name, .refused(device, .init(.beforeRing, "T is older than the ring.")))
            }
            guard isCalm || Int.random(in: 0..<20, using: &generator) > 0 else {
                return tell(name, .refused(device, .init(.notRunning, "Not streaming.")))
            }
            nodes[name]?.pins.insert(device)
        }
        tell(name, .armed(device, isLive ? Sample.live : Sample.resolved))
    }

    private mutating func fire(_ name: NodeName, _ device: DeviceID) {
        guard let node = nodes[name] else { return }
        if let report = report(device) { return tell(name, .captured(report)) }
        guard node.pins.contains(device) else {
            return tell(name, .captureMissed(device, .init(.expired, "Not pinned.")))
        }
        let wait = max(0, Int((Sample.time - now).nanoseconds / 1_000_000))
        schedule(in: wait...wait + 70, .choose(name, epoch: node.epoch, device))
    }

    private mutating func choose(_ name: NodeName, _ device: DeviceID) throws {
        nodes[name]?.pins.remove(device)
        mintedDigests += 1
        nodes[name]?.spool[device] = Spooled(photo: try Sample.digest(mintedDigests), clip: isLive ? .owed : nil)
        if isLive, let epoch = nodes[name]?.epoch {
            schedule(in: 1500...2500, .makeClip(name, epoch: epoch, device))
        }
        if let report = report(device) { tell(name, .captured(report)) }
    }

    private mutating func makeClip(_ name: NodeName, _ device: DeviceID) throws {
        guard case .owed = nodes[name]?.spool[device]?.clip else { return }
        mintedDigests += 1
        let digest = try Sample.digest(mintedDigests)
        let isMade = isCalm || Int.random(in: 0..<8, using: &generator) > 0
        change(device) { $0.clip = isMade ? .made(digest) : .failed(.init(.noSpace, "The spool is full.")) }
        if let report = report(device) { tell(name, .captured(report)) }
    }

    private mutating func change(_ device: DeviceID, _ body: (inout Spooled) -> Void) {
        guard var spooled = nodes[device.node]?.spool[device] else { return }
        body(&spooled)
        nodes[device.node]?.spool[device] = spooled.isEmpty ? nil : spooled
    }

    private func report(_ device: DeviceID) -> CaptureReport? {
        guard let id = (machine?.shot ?? journal)?.id, let spooled = nodes[device.node]?.spool[device],
            let nothing = ContentDigest(bytes: [UInt8](repeating: 0, count: 32))
        else { return nil }
        var report = Sample.report(id, device, digest: spooled.photo ?? nothing)
        if spooled.photo == nil { report.files = [] }
        if isLive { report.resolved = Sample.live }
        switch spooled.clip {
        case .owed: report.owed = [.pairedVideo]
        case .made(let digest):
            report.files.append(SpooledFile(kind: .pairedVideo, byteCount: 5000, digest: digest))
        case .failed(let problem): report.failed = [FailedFile(kind: .pairedVideo, problem: problem)]
        case nil: break
        }
        return report
    }

    private mutating func kill(_ name: NodeName) throws {
        guard nodes[name]?.isRunning == true else { return }
        nodes[name]?.isRunning = false
        nodes[name]?.isConnected = false
        nodes[name]?.epoch += 1
        nodes[name]?.pins = []
        for device in nodes[name]?.spool.keys.sorted() ?? [] {
            change(device) { spooled in
                if case .owed = spooled.clip { spooled.clip = .failed(.init(.agentRestarted, "Restarted.")) }
            }
        }
        try coordinator(.nodeDisconnected(name))
        schedule(in: 50...4000, .startNode(name))
    }

    /// A hello. It carries the inventory of the moment it is handled, as on a channel that keeps order.
    mutating func connect(_ name: NodeName) throws {
        guard let node = nodes[name], machine != nil else { return }
        nodes[name]?.isRunning = true
        nodes[name]?.isConnected = true
        let inventory = node.spool.keys.sorted().compactMap { report($0) }
        try coordinator(.nodeConnected(name, epochChanged: !node.isRunning, inventory: inventory))
    }
}

extension RigWorld.Spooled {
    var isEmpty: Bool { photo == nil && clip == nil }

    /// The file of a kind.
    subscript(kind: AssetKind) -> ContentDigest? {
        get {
            guard kind == .pairedVideo else { return photo }
            if case .made(let digest) = clip { return digest }
            return nil
        }
        set {
            if kind == .pairedVideo { clip = newValue.map { .made($0) } } else { photo = newValue }
        }
    }
}
