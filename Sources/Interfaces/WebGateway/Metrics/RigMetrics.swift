internal import CaptureModel
internal import RigClient

/// The figures of a rig for Prometheus. docs/metrics.md lists them.
///
/// Labels are bounded: by the roster, by the states of a camera, and by the causes that the coordinator counts.
struct RigMetrics {
    /// nil while the coordinator does not answer.
    var rig: (status: RigStatus, devices: [DeviceStatus])?
    var endedReaders: UInt64
    /// Pictures that could not be turned upright.
    var unturnedPictures: UInt64
    var connections: OpenConnections.Figures
    var encoder: EncoderFigures
    /// nil without a bridge to MQTT.
    var mqtt: MQTTFigures?

    var text: String {
        var families = [
            Self.family(
                "build_info", .gauge, "The version of the gateway, always 1.", [(1, [("version", WebGateway.software)])]
            )
        ]
        families.append(
            Self.family("coordinator_up", .gauge, "Whether the coordinator answers.", [(rig == nil ? 0 : 1, [])]))
        families.append(
            Self.family(
                "gateway_ended_readers_total", .counter, "Pages that were too slow to follow the events.",
                [(Double(endedReaders), [])]))
        families.append(
            Self.family(
                "gateway_unturned_pictures_total", .counter,
                "Live pictures that could not be decoded, and so not turned upright.", [(Double(unturnedPictures), [])])
        )
        families.append(Self.endedConnections(connections))
        families += Self.movies(encoder) + Self.bridge(mqtt)
        if let rig {
            families += Self.rig(rig.status) + Self.nodes(rig.status.nodes) + Self.cameras(rig.devices)
            families += Self.frames(rig.devices, at: rig.status.now)
            if let counts = rig.status.shotCounts { families += Self.shots(counts) }
        }
        return families.map(\.text).joined()
    }

    private typealias Sample = (value: Double, labels: [(name: String, value: String)])

    private static func family(
        _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ samples: [Sample]
    ) -> MetricFamily {
        var family = MetricFamily("caprig_\(name)", kind, help)
        for sample in samples { family.add(sample.value, sample.labels) }
        return family
    }

    private static func endedConnections(_ figures: OpenConnections.Figures) -> MetricFamily {
        let limits = ConnectionTable.Limit.allCases.map { ($0.rawValue, figures.ofLimits[$0] ?? 0) }
        let parts = ConnectionStages.Part.allCases.map { ($0.rawValue, figures.ofParts[$0] ?? 0) }
        return family(
            "gateway_ended_connections_total", .counter,
            "Connections that the gateway ended, by the limit that they reached.",
            (limits + parts).map { (Double($0.1), [("cause", $0.0)]) })
    }

    /// Movies that the gateway encodes for downloads.
    private static func movies(_ figures: EncoderFigures) -> [MetricFamily] {
        [
            family(
                "gateway_movies_encoding", .gauge, "Movies that are being encoded for a download, at most 1.",
                [(Double(figures.encoding), [])]),
            family(
                "gateway_movies_waiting", .gauge, "Movies that wait to be encoded.", [(Double(figures.waiting), [])]),
            family(
                "gateway_movies_total", .counter, "Requests for an encoded movie, by what became of them.",
                EncodingQueue.Ending.allCases.map {
                    (Double(figures.endings[$0] ?? 0), [("ending", $0.rawValue)])
                }),
        ]
    }

    private static func rig(_ status: RigStatus) -> [MetricFamily] {
        func counts(_ counts: [String: UInt64]) -> [Sample] {
            counts.sorted { $0.key < $1.key }.map { (Double($0.value), [("cause", $0.key)]) }
        }
        return [
            family("open_shots", .gauge, "Shots with outstanding outcomes.", [(Double(status.openShots), [])]),
            family("open_takes", .gauge, "Takes under way.", [(Double(status.takes.count), [])]),
            family(
                "library_free_bytes", .gauge, "Free space on the library's disk, as it last reported.",
                [(Double(status.libraryFreeBytes), [])]),
            family(
                "library_silence_seconds", .gauge, "For how long the library's disk has not answered.",
                [(status.librarySilence?.seconds ?? 0, [])]),
            family(
                "library_usable", .gauge, "Whether the library is in its place.",
                [(status.libraryProblem == nil ? 1 : 0, [])]),
            family(
                "dropped_messages_total", .counter, "Messages that the coordinator dropped.",
                counts(status.droppedMessages)),
            family(
                "refused_connections_total", .counter, "Connections that the coordinator refused or ended.",
                counts(status.refusedConnections)),
        ]
    }

    private static func nodes(_ nodes: [NodeStatus]) -> [MetricFamily] {
        func gauge(
            _ name: String, _ help: String, of chosen: [NodeStatus]? = nil, _ value: (NodeStatus) -> Double?
        ) -> MetricFamily {
            family(
                name, .gauge, help,
                (chosen ?? nodes).compactMap { node in
                    value(node).map { ($0, [("node", node.node.rawValue)]) }
                })
        }
        let connected = nodes.filter(\.isConnected)
        return [
            gauge("node_connected", "Whether the node is connected.") { $0.isConnected ? 1 : 0 },
            gauge("node_devices", "Devices of the node.") { Double($0.devices) },
            gauge("node_devices_running", "Devices of the node that run.") { Double($0.devicesRunning) },
            gauge(
                "clock_bound_seconds", "The largest error of the node's clock; absent until it is synchronized.",
                of: connected
            ) {
                $0.clockBound?.seconds
            },
            gauge("ring_depth_seconds", "How far the node's frames reach into the past.", of: connected) {
                $0.ringDepth.seconds
            },
            gauge("spool_used_bytes", "Captures that wait in the node's spool.", of: connected) {
                Double($0.spoolUsedBytes)
            },
            gauge("spool_free_bytes", "Room in the node's spool.", of: connected) { Double($0.spoolFreeBytes) },
        ]
    }

    private static func cameras(_ devices: [DeviceStatus]) -> [MetricFamily] {
        let cameras = devices.filter { $0.device.mediaType == .video }
        return [
            family(
                "camera_running", .gauge, "Whether the camera delivers frames.",
                cameras.map { ($0.condition.state == .running ? 1 : 0, [("camera", "\($0.device.id)")]) }),
            family(
                "camera_state", .gauge, "The camera's state: 1 for the one that it has.",
                cameras.map { (1, [("camera", "\($0.device.id)"), ("state", $0.condition.state.rawValue)]) }),
        ]
    }

    /// The frames of each camera since its session began.
    private static func frames(_ devices: [DeviceStatus], at now: RigTime) -> [MetricFamily] {
        let cameras = devices.filter { $0.device.mediaType == .video && $0.condition.state != .unreachable }
        func counts(_ name: String, _ help: String, _ count: (FrameCounters) -> UInt64) -> MetricFamily {
            family(
                name, .counter, help,
                cameras.map { (Double(count($0.condition.counters)), [("camera", "\($0.device.id)")]) })
        }
        let dropped: [Sample] = cameras.flatMap { camera in
            FrameCounters.losses.map { loss in
                (
                    Double(loss.count(camera.condition.counters)),
                    [("camera", "\(camera.device.id)"), ("reason", loss.reason)]
                )
            }
        }
        return [
            counts("frames_captured_total", "Good frames of the camera.", \.delivered),
            family("frames_dropped_total", .counter, "Frames of the camera that were lost, by reason.", dropped),
            counts("camera_stalls_total", "Times that the camera's stream stood still.", \.stalls),
            family(
                "camera_frame_age_seconds", .gauge, "Time since the newest good frame that the node has reported.",
                cameras.compactMap { camera in
                    guard camera.condition.state == .running, let phase = camera.condition.phase else { return nil }
                    return ((now - phase.midExposure).seconds, [("camera", "\(camera.device.id)")])
                }),
        ]
    }

    /// What the coordinator has counted of its shots.
    private static func shots(_ counts: ShotCounts) -> [MetricFamily] {
        func samples(_ counts: [Shot.Status: UInt64]) -> [Sample] {
            Shot.Status.allCases.filter { $0 != .open }.map {
                (Double(counts[$0] ?? 0), [("status", $0.rawValue)])
            }
        }
        var skews = MetricFamily(
            "caprig_trigger_skew_seconds", .histogram, "How far from T the pictures of shots were exposed.")
        let bounds = counts.skews.bounds.map { Double($0) / 1e9 } + [nil]
        skews.add(
            zip(bounds, counts.skews.counts).map { (bound: $0, count: $1) }, sum: Double(counts.skews.sum) / 1e9)
        return [
            family(
                "shots_total", .counter, "Shots by the status with which they were first settled.",
                samples(counts.settledShots)),
            family(
                "takes_total", .counter, "Takes by the status with which they were first settled.",
                samples(counts.settledTakes)),
            family(
                "deleted_shots_total", .counter, "Shots and takes that were deleted from the library.",
                ShotDeletion.Reason.allCases.map { (Double(counts.deleted[$0] ?? 0), [("reason", $0.rawValue)]) }),
            skews,
        ]
    }
}
