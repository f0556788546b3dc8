public import CaptureModel

/// Telling when the camera shows another scene.
extension CaptureSession {
    /// Whether changes of the scene are told; after AVFoundation's `isSubjectAreaChangeMonitoringEnabled`.
    public var isSceneChangeMonitoringEnabled: Bool { sceneWatch != nil }

    /// Has changes of the scene told as ``SessionEvent/sceneChanged(_:_:)``, from the next frame on, or not at all.
    ///
    /// Four frames a second are measured, on the thread of the session's ``SceneMeter``; without monitoring none is. The
    /// setting belongs to the session and outlasts stops and switches; the scene is learnt anew with each start.
    /// - Parameter settings: nil turns it off. What was learnt of the scene is forgotten.
    public func setSceneChangeMonitoring(_ settings: SceneChangeSettings?) {
        sceneWatch = settings.map(SceneWatch.init)
    }

    /// Judges the frames of one stream, until the calling task is cancelled.
    func watchScene() async {
        let (frames, continuation) = AsyncStream.makeStream(of: PictureFrame.self, bufferingPolicy: .bufferingNewest(1))
        sceneWatch?.begin()
        sceneFrames = continuation
        for await frame in frames {
            let scene = await sceneMeter.scene(of: frame.jpeg)
            sceneWatch?.end()
            guard let scene, let change = sceneWatch?.detector.take(scene, at: frame.midExposure) else { continue }
            await tell([.sceneChanged(device.id, change)])
        }
    }

    /// Hands a good frame over to be judged, where its turn has come. One that a capture lights or exposes in its own way
    /// shows nothing of the scene.
    func lookAtScene(_ frame: RingFrame) {
        guard sceneWatch != nil, settingsToUndo.isEmpty, let picture = frame.picture,
            sceneWatch?.begins(frame.midExposure) == true
        else { return }
        sceneFrames?.yield(picture)
    }
}
