import CaptureModel
import Foundation
import RigProtocol
import RigWire
import Testing

@testable import CapctlCommands
@testable import RigClient

@Suite struct StatusReportTests {
    /// A rig of a coordinator and one node.
    private func report(
        coordinator: BusLibrary?, node: BusLibrary?, isConnected: Bool = true
    ) throws -> StatusReport {
        var wire = WireRigStatus()
        (wire.rigClockID, wire.feedPort) = ("clock", 1)
        var north = WireNodeStatus()
        (north.node, north.connected) = ("north", isConnected)
        if let coordinator { wire.busLibrary = coordinator.wire }
        if let node { north.busLibrary = node.wire }
        wire.nodes = [north]
        return StatusReport(status: try RigStatus(wire: wire, epoch: .random()), devices: [])
    }

    private let mended = BusLibrary(version: "4.3.4", isHardened: true)
    private let original = BusLibrary(version: "4.3.4", isHardened: false)

    @Test("Every process that a peer can abort is named, and no other") func named() throws {
        let table = try report(coordinator: mended, node: original).table
        #expect(table.contains("north: any peer can abort it through its libzmq 4.3.4"))
        #expect(!table.contains("coordinator: "))
        let other = try report(coordinator: original, node: mended).table
        #expect(other.contains("coordinator: any peer can abort it"))
    }

    @Test("A process that does not tell its libzmq is named too") func unknown() throws {
        let table = try report(coordinator: nil, node: nil).table
        #expect(table.contains("coordinator: does not tell its libzmq"))
        #expect(table.contains("north: does not tell its libzmq"))
    }

    @Test("A node that is away is not named") func away() throws {
        let table = try report(coordinator: mended, node: nil, isConnected: false).table
        #expect(!table.contains("libzmq"))
    }

    @Test("The JSON tells which processes a peer can abort") func json() throws {
        let text = try report(coordinator: mended, node: original).rendered(as: .json)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let nodes = try #require(document["nodes"] as? [[String: Any]])
        #expect(
            [document, nodes[0]].map { ($0["libzmq"] as? [String: Any])?["isHardened"] as? Bool } == [true, false])
    }
}
