import ALSAMicrophone
public import CameraKit
import FileCamera
import V4L2Camera
import VirtualDevices

/// The backends of this software: the one place that a further one is added to.
public enum Backends {
    /// In the order in which messages and lists name them.
    public static let all: [any CaptureBackend] = [
        V4L2Backend(),
        ALSABackend(),
        VirtualBackend(),
        FileBackend(),
    ]
}
