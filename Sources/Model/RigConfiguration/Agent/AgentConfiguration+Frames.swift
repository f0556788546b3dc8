public import CaptureModel

extension AgentConfiguration {
    /// The frames channel: live pictures for subscribers.
    public struct Frames: Hashable, Sendable {
        /// Whether there is a frames channel. Without it, the agent listens nowhere.
        public var enabled: Bool
        public var listen: Listen
        /// The host to which viewers connect. If nil, it is the host that the channel listens on or, if that is `*`,
        /// the address by which the coordinator is reached.
        public var advertise: String?
        /// JPEG quality of scaled pictures, 1 to 100.
        public var quality: Int
        public var preview: Preview

        /// The address on which the channel listens.
        public struct Listen: Hashable, Sendable {
            /// A name or address of this machine, without brackets; `*` for all. Daemons replace a name by an address before they listen.
            public var host: String
            /// 0 means any free port.
            public var port: UInt16

            public init(host: String = "127.0.0.1", port: UInt16 = 0) {
                self.host = host
                self.port = port
            }
        }

        /// The properties of frames of kind `preview`.
        public struct Preview: Hashable, Sendable {
            /// The size in pixels of the box into which the picture is fitted.
            public var width: Int
            public var height: Int
            public var gravity: VideoGravity

            public init(width: Int = 640, height: Int = 360, gravity: VideoGravity = .aspect) {
                self.width = width
                self.height = height
                self.gravity = gravity
            }
        }

        public init(
            enabled: Bool = true, listen: Listen = Listen(), advertise: String? = nil, quality: Int = 75,
            preview: Preview = Preview()
        ) {
            self.enabled = enabled
            self.listen = listen
            self.advertise = advertise
            self.quality = quality
            self.preview = preview
        }
    }
}

extension AgentConfiguration.Frames {
    init(_ mapping: YAMLMapping) {
        self.init()
        enabled = mapping.read("enabled", .flag, default: enabled)
        if let mapping = mapping.mapping("listen") {
            listen.host = mapping.read("host", .host, default: listen.host)
            listen.port = mapping.read("port", .integer(0...65_535), default: listen.port)
            mapping.finish()
        }
        advertise = mapping.value("advertise")?.scalar(.reachableHost)
        quality = mapping.read("quality", .integer(1...100), default: quality)
        if let mapping = mapping.mapping("preview") {
            preview.width = mapping.read("width", .integer(16...65_535), default: preview.width)
            preview.height = mapping.read("height", .integer(16...65_535), default: preview.height)
            preview.gravity = mapping.read("gravity", .oneOf(VideoGravity.self), default: preview.gravity)
            if preview.gravity == .resize, max(preview.width, preview.height) > VideoGravity.longestResizedSide {
                mapping.report(
                    .badValue,
                    "with 'gravity: resize', pictures have exactly this size, of at most \(VideoGravity.longestResizedSide) pixels a side"
                )
            }
            mapping.finish()
        }
        mapping.finish()
    }
}

extension Scalar<String> {
    /// A host name or address to which others connect.
    fileprivate static var reachableHost: Scalar {
        Scalar.host.map { text throws(ScalarFault) in
            guard text != "*" else { throw ScalarFault("'*' is not a host that others can connect to") }
            return text
        }
    }
}
