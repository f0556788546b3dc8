internal import Hummingbird
internal import NIOCore
internal import PosixSupport
internal import RigClient
internal import RigSecurity

/// `/metrics`, for Prometheus.
struct MetricRoutes {
    let rig: GatewayRig
    /// nil without a bridge to MQTT.
    let mqtt: Locked<MQTTFigures>?

    func add(to router: Router<GatewayContext>) {
        router.get("metrics") { _, context in
            let endedReaders = await rig.watch.endedReaders
            let unturnedPictures = rig.turner.failures
            let connections = rig.connections.figures
            let encoder = await rig.movies.turns.figures
            let mqtt = mqtt?.withLock(\.self)
            do {
                try await rig.check(context.session, has: .view)
                return Self.response(
                    RigMetrics(
                        rig: try await rig.client.state(), endedReaders: endedReaders,
                        unturnedPictures: unturnedPictures, connections: connections, encoder: encoder, mqtt: mqtt))
            } catch let error as RigClientError where [.noCoordinator, .lostCoordinator].contains(error.code) {
                // What a monitor is for. It tells nothing about the rig, so nobody's session needs to be known.
                return Self.response(
                    RigMetrics(
                        rig: nil, endedReaders: endedReaders, unturnedPictures: unturnedPictures,
                        connections: connections, encoder: encoder, mqtt: mqtt))
            }
        }
    }

    private static func response(_ metrics: RigMetrics) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
    }
}
