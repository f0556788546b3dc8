internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// How every node knows rig time, and when every camera exposes.
struct SyncStatusReport: Report {
    var status: RigStatus
    var devices: [DeviceStatus]

    var document: SyncStatusDocument { SyncStatusDocument(status, devices: devices) }

    var names: [String]? { status.nodes.map(\.node.rawValue) }

    var emptiness: String? { status.nodes.isEmpty ? "no nodes yet; `capctl node invite NAME` admits one" : nil }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("NODE", .left, .end(8)), .init("BOUND", .left, .wrap(12)), .init("DRIFT", .right),
            .init("ROUND TRIP", .right), .init("SHORTEST", .right, isOnlyWide: true), .init("SOURCE", dropped: 2),
            .init("CONGESTED", dropped: 1), .init("SINCE", .right, dropped: 3),
            .init("PROBED", .right, isOnlyWide: true), .init("OFFSET", .right, isOnlyWide: true),
        ]
        guard !status.nodes.isEmpty else { return "" }
        return Table(columns: columns, rows: status.nodes.map(row)).rendered(layout) + conflicts + cameras(layout)
    }

    /// A line for each node whose clock is said to be what the probes exclude.
    private var conflicts: String {
        status.nodes.compactMap { node in
            node.clock?.conflict.map { "\(node.node): \($0.summary), for \(age($0.since))\n" }
        }.joined()
    }

    /// The cameras whose phase or stamps are known; empty if there are none. How they are aligned is shown if one is to be.
    private func cameras(_ layout: TextLayout) -> String {
        let rows = devices.compactMap { device -> [String]? in
            let (phase, stamps) = (device.condition.phase, device.condition.stamps)
            guard phase != nil || stamps != nil else { return nil }
            let alignment = device.condition.session?.alignment
            return [
                device.device.id.description,
                phase.map { Duration.nanoseconds($0.periodNanoseconds).fineText } ?? "-",
                phase?.offset.fineText ?? "-", phase?.bound.map { "± \($0.fineText)" } ?? "-",
                stamps?.latencyText ?? "-", stamps?.correction?.measuredOn?.description ?? "-",
                stamps?.origin.text ?? "-",
                alignment?.state.rawValue ?? "free", alignment?.latenessText ?? "-", alignment?.reason ?? "",
            ]
        }
        var columns: [Table.Column] = [
            .init("CAMERA", .left, .end(8)), .init("PERIOD", .right), .init("PHASE", .right), .init("BOUND"),
            .init("LATENCY", .left, .wrap(12)), .init("MEASURED", dropped: 2), .init("STAMPS", isOnlyWide: true),
        ]
        if devices.contains(where: { $0.condition.session?.alignment != nil }) {
            columns += [
                .init("ALIGNMENT"), .init("OFF BY", dropped: 1), .init("REASON", .left, .wrap(20), isOnlyWide: true),
            ]
        }
        return rows.isEmpty ? "" : "\n" + Table(columns: columns, rows: rows).rendered(layout)
    }

    private func row(_ node: NodeStatus) -> [String] {
        let bound = node.clockBound.map { "± \($0.fineText)" } ?? (node.isConnected ? "not synchronized" : "away")
        guard let clock = node.clock else { return [node.node.rawValue, bound] }
        let drift = Double(clock.ratePartsPerBillion) / 1000
        return [
            node.node.rawValue, bound, (drift < 0 ? "-" : "+") + Decimals.text(drift.magnitude, digits: 1) + " ppm",
            clock.roundTrip.fineText, clock.shortestRoundTrip.fineText, clock.source.rawValue,
            clock.congestedSince.map { "for \(age($0))" } ?? "no", "\(age(clock.since)) ago",
            "\(age(clock.newest)) ago", clock.offset.nanoseconds.description + " ns",
        ]
    }

    private func age(_ instant: RigTime) -> String { max(status.now - instant, .zero).shortText }
}

extension CameraStamps {
    /// How late the stamps are, as far as that was measured.
    fileprivate var latencyText: String {
        guard let correction else { return "none" }
        guard let uncertainty = correction.uncertainty else { return "not measured" }
        let late = correction.latencyOffset.magnitude
        return (correction.latencyOffset > .zero ? "-" : "") + "\(late.fineText) ± \(uncertainty.fineText)"
    }
}
