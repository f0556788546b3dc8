import CameraKit
import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Logging
import PosixSupport
import RigConfiguration
import RigWire
import Spool
import Testing
import VirtualDevices
import ZeroMQ

@testable import AgentChannels
@testable import NodeCore

@Suite(.timeLimit(.minutes(1))) struct FramesDemandTests {
    @Test("A viewer that is there before the camera's session shows nothing for ever")
    func earlyViewer() async throws {
        let folder = try TemporaryFolder()
        let context = try ZeroMQContext()
        let session = try Self.session(folder)
        var log = Logger(label: "test")
        log.logLevel = .critical
        let link = try FramesLink(
            context: context, settings: AgentConfiguration.Frames(), sessions: [session],
            composer: FrameComposer(epoch: .random(), clock: SystemTimeSource(), rigClock: FixedRigClock()), log: log)
        try await link.bind()
        let viewer = try SubscriberSocket(context: context, executor: try SocketExecutor(name: "viewer"))
        try await viewer.subscribe(Array("north/cam/full".utf8) + [0])
        try await viewer.connect(to: try #require(link.status(from: nil)?.endpoint))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await link.run() }
            while link.status(from: nil)?.watched == 0 { await Task.yield() }
            // So that what the link asks of the session because of that has been asked.
            for _ in 0..<1000 {
                await link.pass()
                _ = await session.condition
            }
            group.addTask { await session.run() }
            let message = await viewer.receive()
            #expect(message?.parts.first != nil)
            group.cancelAll()
        }
        await link.close()
    }

    /// A camera that runs only while something needs it.
    private static func session(_ folder: TemporaryFolder) throws -> CaptureSession {
        var configuration = VirtualCameraConfiguration()
        (configuration.width, configuration.height) = (160, 120)
        let clock = SystemTimeSource()
        let spool = try Spool(
            folder: folder.path + "/spool", limitBytes: 1 << 28, reserveFreeBytes: 0,
            executor: ThreadExecutor(name: "spool"))
        let device = CaptureDevice(
            description: DeviceDescription(id: try DeviceID("north/cam"), driver: "virtual"),
            camera: VirtualCamera(name: "cam", configuration: configuration))
        return try CaptureSession(
            SessionConfiguration(
                input: CaptureDeviceInput(device: device), policy: SessionPolicy(standby: .onDemand)),
            services: SessionServices(
                clock: clock, rigClock: FixedRigClock(), spool: spool, executor: try ThreadExecutor(name: "cam")
            ) { _ in })
    }
}

extension FramesLink {
    /// Returns behind what its thread has been given to do.
    fileprivate func pass() {}
}
