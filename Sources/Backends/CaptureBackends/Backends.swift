import ALSAMicrophone
import AravisCamera
public import CameraKit
import CommandCamera
import FileCamera
import GPhotoCamera
import RTSPCamera
import V4L2Camera
import VirtualDevices

/// The backends of this software. This is the only place to add another one.
public enum Backends {
    /// The backends, in the order of messages and lists.
    public static let all: [any CaptureBackend] = [
        V4L2Backend(),
        ALSABackend(),
        VirtualBackend(),
        FileBackend(),
        CommandBackend(),
        RTSPBackend(),
        GPhotoBackend(),
        AravisBackend(),
    ]
}
