import CaptureModel
import CaptureTestSupport
import FoundationEssentials
import NIOCore
import RigClient
import RigProtocol
import RigSecurity
import RigWire
import Testing
import ZeroMQ

@testable import WebGateway

/// What the gateway asks each second for the pages that are open.
@Suite(.timeLimit(.minutes(10))) struct RigWatchTests {
    /// A coordinator that knows sessions, and does not answer which devices there are but with the state.
    private final class Coordinator: Sendable {
        enum Question: Hashable {
            case state(of: Data)
            case identity(of: Data)
            case devices(of: Data)
        }

        /// What is asked again and again.
        let questions = Observed<[Question]>([])
        let ended = Observed<Set<Data>>([])
        let endpoint: String
        private let router: RouterSocket
        private let server: Task<Void, Never>

        init(_ context: ZeroMQContext, _ executor: SocketExecutor) async throws {
            let router = try RouterSocket(context: context, executor: executor)
            endpoint = try await router.bindWhenFree(to: "tcp://127.0.0.1:*")
            server = Task { [questions, ended] in
                while let (peer, received) = await router.receive() {
                    guard
                        let request = try? WireCoding.client.decode(
                            WireClientRequest.self, from: received.parts[0].bytes)
                    else { continue }
                    if let question = Self.question(request) { questions.change { $0.append(question) } }
                    if case .listDevices? = request.body { continue }
                    var reply = WireClientReply()
                    (reply.requestID, reply.epoch) = (request.requestID, 7)
                    reply.body = ended.value.contains(request.session) ? Self.refusal : Self.answer(request)
                    guard let bytes = try? WireCoding.client.encode(reply) else { continue }
                    _ = await router.send(Message(bytes), to: peer)
                }
            }
            self.router = router
        }

        private static func question(_ request: WireClientRequest) -> Question? {
            switch request.body {
            case .getStatus(let get): get.withDevices ? .state(of: request.session) : nil
            case .getIdentity: .identity(of: request.session)
            case .listDevices: .devices(of: request.session)
            default: nil
            }
        }

        private static func answer(_ request: WireClientRequest) -> WireClientReply.OneOf_Body? {
            switch request.body {
            case .getStatus(let get):
                var status = WireRigStatus()
                (status.rigClockID, status.feedPort) = ("clock", 9)
                status.nodes = [north].compactMap { try? $0.get().wire }
                if get.withDevices {
                    status.deviceList = .init()
                    status.deviceList.devices = [mosaic, camera].compactMap { try? $0.get().wire }
                }
                return .status(status)
            case .getIdentity:
                var identity = WireIdentity()
                (identity.principal, identity.permissions) = ("anna", ["view"])
                return .identity(identity)
            default: return nil
            }
        }

        /// Nobody publishes frames at the address that it names, which is of no machine (RFC 5737).
        private static let north = Result {
            NodeStatus(
                node: try NodeName("north"), isConnected: true, ringDepth: .zero, spoolUsedBytes: 0, spoolFreeBytes: 0,
                devices: 2, devicesRunning: 2, software: "test", frames: FramesStatus(host: "192.0.2.1", port: 9))
        }
        private static let mosaic = Result { try status("north/raw", .rggb10) }
        private static let camera = Result { try status("north/cam", .mjpeg) }

        private static func status(_ id: String, _ format: PixelFormat) throws -> DeviceStatus {
            DeviceStatus(
                device: DeviceDescription(id: try DeviceID(id), driver: "virtual"),
                condition: DeviceCondition(
                    state: .running,
                    format: VideoFormat(pixelFormat: format, width: 64, height: 48, frameInterval: .milliseconds(40))))
        }

        private static var refusal: WireClientReply.OneOf_Body {
            var failure = WireFailure()
            (failure.problem.code, failure.problem.message) = ("sessionEnded", "the session has ended")
            return .failure(failure)
        }

        func stop() async {
            server.cancel()
            await router.close()
        }
    }

    private struct Stage {
        let coordinator: Coordinator
        let client: RigClient
        let watch: RigWatch
        let time = ManualTimeSource()

        /// The clock stands still, so that only the test has the watch ask.
        init() async throws {
            let (context, executor) = (try ZeroMQContext(), try SocketExecutor(name: "test"))
            coordinator = try await Coordinator(context, executor)
            client = try RigClient(context: context, executor: executor, time: time)
            watch = RigWatch(client: client, time: time)
            try await client.connect(to: coordinator.endpoint)
        }

        /// What one round asks.
        func round() async -> Set<Coordinator.Question> {
            coordinator.questions.change { $0 = [] }
            #expect(await !watch.ask(wasLost: false))
            let asked = coordinator.questions.value
            #expect(asked.count == Set(asked).count, "nothing is asked twice: \(asked)")
            return Set(asked)
        }

        func end() async {
            await client.close()
            await coordinator.stop()
        }
    }

    private let anna = SessionSecret()
    private let ben = SessionSecret()

    private func isValid(_ standing: SessionStanding?) -> Bool { if case .valid? = standing { true } else { false } }

    private func isEnded(_ standing: SessionStanding?) -> Bool {
        if case .refused(let problem)? = standing { problem.code == "sessionEnded" } else { false }
    }

    @Test func `Pages of one session cost one question, which tells of the rig and of the session`() async throws {
        let stage = try await Stage()
        var readers: [AsyncStream<SessionStanding>.Iterator] = []
        for _ in 0..<3 { readers.append(await stage.watch.standings(of: anna).makeAsyncIterator()) }
        var states = await stage.watch.states().makeAsyncIterator()
        // That of the start.
        #expect(await states.next() != nil)
        #expect(await stage.round() == [.state(of: Data(anna.bytes))])
        #expect(await states.next() != nil)
        for index in readers.indices { #expect(isValid(await readers[index].next())) }
        await stage.end()
    }

    @Test func `A page that watches a camera of a mosaic is told at once why it has no live pictures`() async throws {
        let stage = try await Stage()
        #expect(await stage.watch.livePictureProblem(of: try DeviceID("north/raw")) == nil, "nothing is known yet")
        _ = await stage.round()
        let problem = await stage.watch.livePictureProblem(of: try DeviceID("north/raw"))
        #expect(problem?.contains("streams its sensor's mosaic, of which there are no live pictures") == true)
        #expect(await stage.watch.knows(try DeviceID("north/cam")))
        #expect(await stage.watch.livePictureProblem(of: try DeviceID("north/cam")) == nil)
        await stage.end()
    }

    @Test func `Why no picture comes is told without asking, so that a slow coordinator delays no picture`()
        async throws
    {
        let stage = try await Stage()
        let hub = PictureHub(client: stage.client, watch: stage.watch, time: stage.time)
        _ = await stage.round()
        let topic = FrameTopic(device: try DeviceID("north/cam"), kind: .preview)
        var news = try await hub.pictures(of: topic).makeAsyncIterator()
        let start = stage.time.now()
        for second in 1...3 as ClosedRange<Int64> {
            await stage.time.sleeper(until: start + .seconds(second))
            stage.time.advance(to: start + .seconds(second))
        }
        guard case .silent(let reason)? = await news.next() else { Issue.record("there is a picture"); return }
        #expect(reason == "no picture of north/cam comes, though the camera runs; check the network to node 'north'")
        #expect(!stage.coordinator.questions.value.contains(.devices(of: Data())))
        await stage.end()
    }

    @Test func `Why no picture comes is not told once the coordinator has not answered`() async throws {
        let stage = try await Stage()
        let camera = try DeviceID("north/cam")
        #expect(await stage.watch.livePictureSilence(of: camera) == nil, "nothing is known yet")
        _ = await stage.round()
        #expect(await stage.watch.livePictureSilence(of: camera)?.contains("though the camera runs") == true)
        stage.coordinator.ended.change { $0 = [Data()] }
        #expect(await stage.watch.ask(wasLost: false))
        #expect(await stage.watch.livePictureSilence(of: camera) == nil)
        await stage.end()
    }

    @Test func `Each further session costs one more, and each page is told of its own`() async throws {
        let stage = try await Stage()
        var states = await stage.watch.states().makeAsyncIterator()
        #expect(await states.next() != nil)
        var ofAnna = await stage.watch.standings(of: anna).makeAsyncIterator()
        var ofBen = await stage.watch.standings(of: ben).makeAsyncIterator()
        let asked = await stage.round()
        let keys = [anna, ben].map { Data($0.bytes) }
        #expect(
            asked == [.state(of: keys[0]), .identity(of: keys[1])]
                || asked == [.state(of: keys[1]), .identity(of: keys[0])])
        #expect(isValid(await ofAnna.next()))
        #expect(isValid(await ofBen.next()))
        stage.coordinator.ended.change { $0 = [keys[0]] }
        _ = await stage.round()
        #expect(isEnded(await ofAnna.next()))
        #expect(isValid(await ofBen.next()))
        await stage.end()
    }

    @Test func `A session that has ended is told in the next round, and other pages have the state at once`()
        async throws
    {
        let stage = try await Stage()
        var states = await stage.watch.states().makeAsyncIterator()
        #expect(await states.next() != nil)
        var ofAnna = await stage.watch.standings(of: anna).makeAsyncIterator()
        stage.coordinator.ended.change { $0 = [Data(anna.bytes)] }
        #expect(await stage.round() == [.state(of: Data(anna.bytes)), .state(of: Data())])
        #expect(isEnded(await ofAnna.next()))
        let shown = await states.next()
        #expect(shown.map { String(buffer: $0).contains("\"type\":\"rig\"") } == true)
        await stage.end()
    }

    @Test func `A session without the permission to view is refused, whichever question tells`() async throws {
        let standing = SessionStanding(
            RigClientError(.refused("notPermitted"), operation: "status", endpoint: "", cause: "no"))
        guard case .refused(let problem) = standing else { Issue.record("\(standing)"); return }
        #expect(problem.status == 403)
        guard case .unknown = SessionStanding(CancellationError()) else { Issue.record("an answer is missing"); return }
    }

    @Test func `A session goes on for a minute without an answer about it, and ends at once when it is refused`() {
        let time = ManualTimeSource()
        var check = SessionCheck(time)
        time.advance(by: .seconds(59))
        #expect(check.ending(.unknown("silence")) == nil)
        #expect(check.ending(.valid) == nil)
        time.advance(by: .seconds(59))
        #expect(check.ending(.unknown("silence")) == nil)
        time.advance(by: .seconds(1))
        #expect(check.ending(.unknown("silence"))?.code == "noCoordinator")
        var other = SessionCheck(time)
        #expect(other.ending(.refused(.noSession))?.code == "sessionEnded")
    }
}
