public import CaptureModel

/// Tells when a session's camera shows another scene. Owns what was learnt of the scene; frames are measured by a
/// ``SceneMeter``, at most one at a time.
final class SceneMonitor: CaptureOutput {
    private unowned let session: any SessionAccess
    private let controls: CameraControls
    private let meter: SceneMeter
    /// nil while changes of the scene are not told.
    private(set) var watch: SceneWatch?
    /// Where frames of the stream that runs are judged.
    private var frames: AsyncStream<PictureFrame>.Continuation?

    /// - Parameter controls: Frames for which a capture has set them show nothing of the scene.
    init(_ session: any SessionAccess, controls: CameraControls) {
        self.session = session
        self.controls = controls
        meter = session.services.sceneMeter ?? SceneMeter(executor: session.services.executor)
        watch = session.policy.sceneChange.map(SceneWatch.init)
    }

    /// - Parameter settings: nil turns it off. What was learnt of the scene is forgotten.
    func setMonitoring(_ settings: SceneChangeSettings?) {
        watch = settings.map(SceneWatch.init)
    }

    /// Hands a good frame over to be judged, where its turn has come.
    func receive(_ frame: RingFrame, from stream: OpenStream) {
        guard stream.purpose == .session, watch != nil, controls.areAsFound, let picture = frame.picture,
            watch?.begins(frame.midExposure) == true
        else { return }
        frames?.yield(picture)
    }

    /// Judges the frames of one stream, until the calling task is cancelled.
    func watchStream() async {
        let (pictures, continuation) = AsyncStream.makeStream(
            of: PictureFrame.self, bufferingPolicy: .bufferingNewest(1))
        watch?.begin()
        frames = continuation
        for await picture in pictures {
            let scene = await meter.scene(of: picture.jpeg)
            watch?.end()
            guard let scene, let change = watch?.detector.take(scene, at: picture.midExposure) else { continue }
            await session.tell([.sceneChanged(session.device.id, change)])
        }
    }
}

/// Telling when the camera shows another scene.
extension CaptureSession {
    /// Whether changes of the scene are told; after AVFoundation's `isSubjectAreaChangeMonitoringEnabled`.
    public var isSceneChangeMonitoringEnabled: Bool { scene.watch != nil }

    /// Has changes of the scene told as ``SessionEvent/sceneChanged(_:_:)``, from the next frame on, or not at all.
    ///
    /// Four frames a second are measured, on the thread of the session's ``SceneMeter``; without monitoring none is. The
    /// setting belongs to the session and outlasts stops and switches; the scene is learnt anew with each start.
    /// - Parameter settings: nil turns it off. What was learnt of the scene is forgotten.
    public func setSceneChangeMonitoring(_ settings: SceneChangeSettings?) {
        scene.setMonitoring(settings)
    }
}
