import AgentChannels
import CoordinatorChannels
import FaultPoints
import Testing

@Suite struct CatalogueTests {
    @Test(
        "two points of a program have one name, so that a test strikes at both",
        arguments: [Agent.faultPoints, Coordinator.faultPoints])
    func names(_ catalogue: FaultCatalogue) {
        let names = catalogue.entries.map(\.name)
        #expect(Set(names).count == names.count && names.count > 40)
        for name in names {
            #expect(
                name.split(separator: ".").count >= 3 && name.utf8.allSatisfy { $0 == 46 || (65...122).contains($0) })
        }
    }
}
