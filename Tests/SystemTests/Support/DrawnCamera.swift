import CaptureModel
import TimeCode

/// A virtual camera, which draws the time code of each exposure into its pixels.
struct DrawnCamera: StandIn {
    func camera(_ name: String, number: Int) -> NodePlan.Camera {
        var camera = NodePlan.Camera(name: name, number: number)
        (camera.width, camera.height, camera.framesPerSecond) = (320, 184, 10)
        return camera
    }

    func truth(of picture: StoredPicture) throws -> RigTime {
        let code = try StillCheck.timeCode(in: picture.bytes)
        return picture.shot.wallClock.instant(atRealtimeNanoseconds: code.realtimeNanoseconds)
    }

    /// Does nothing: it is part of the agent.
    func stop() {}
}
