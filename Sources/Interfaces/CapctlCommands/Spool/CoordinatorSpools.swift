internal import CaptureModel
internal import RigClient

/// Asks the nodes of a rig through its coordinator.
struct CoordinatorSpools: SpoolSource {
    var client: RigClient
    /// Only these nodes; all of the rig where empty.
    var nodes: [NodeName]

    func list() async throws -> SpoolContent {
        let all = nodes.isEmpty ? try await client.status().nodes.map(\.node) : nodes
        var content = SpoolContent()
        for node in all {
            do {
                for isDamaged in [false, true] {
                    content.captures += try await client.spool(of: node, damaged: isDamaged)
                }
            } catch {
                guard case .refused = error.code else { throw error }
                content.obstacles.append("\(error)")
            }
        }
        content.captures.sort { $0.key < $1.key }
        return content
    }

    func discard(_ captures: [SpooledCapture]) async throws -> [SpooledCapture] {
        var discarded: [SpooledCapture] = []
        for (node, ofNode) in Dictionary(grouping: captures, by: \.key.device.node).sorted(by: { $0.key < $1.key }) {
            for isDamaged in [false, true] {
                let keys = ofNode.filter { ($0.state == .damaged) == isDamaged }.map(\.key)
                discarded += try await client.discard(keys, of: node, damaged: isDamaged)
            }
        }
        return discarded
    }
}
