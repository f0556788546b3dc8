internal import NIOCore

/// That this gateway was built without TLS, which the package has as a trait.
public struct MissingTLS: Error, Hashable, CustomStringConvertible {
    public var description: String {
        "this capwebd was built without TLS, which it needs with --tls, with --certificate, and for other machines; use one that "
            + "`make release` or `swift build --traits TLS` builds, a reverse proxy with --proxy ADDRESS, or --listen 127.0.0.1"
    }
}
