/** An action that changes one fact of a thing in the hand, at a receptacle of one kind. */
function treat(name: string, kind: string, able: string, makes: string, ends?: string): string {
  return `
(:action ${name}
  :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
  :precondition (and (holds ?a ?o) (${able} ?o) (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (receptacleType ?r ${kind}Type))
  :effect (and (${makes} ?o)${ends === undefined ? '' : ` (not (${ends} ?o))`}))
`;
}

/**
 * The rules of a household, written for this package: the actions of ALFWorld's domain (alfworld/data/alfred.pddl), with
 * the same conditions and effects. Its condition to examine a thing that lies in sight has a comma too many, so its
 * planner finds no such action; `examinesInSight` adds it.
 */
export function houseDomain(examinesInSight: boolean): string {
  const isUsable = '(or (not (openable ?r)) (opened ?r))';
  const isHere = '(atLocation ?a ?l) (receptacleAtLocation ?r ?l)';
  const inSight = `(exists (?l - location ?r - receptacle) (and ${isHere} (inReceptacle ?o ?r) ${isUsable}))`;
  return `; The rules of a household for agentgym's games in the format of ALFWorld.
(define (domain household)
(:requirements :adl :typing)
(:types agent location receptacle object rtype otype)
(:predicates
  (atLocation ?a - agent ?l - location) (receptacleAtLocation ?r - receptacle ?l - location)
  (objectAtLocation ?o - object ?l - location) (inReceptacle ?o - object ?r - receptacle)
  (receptacleType ?r - receptacle ?t - rtype) (objectType ?o - object ?t - otype) (canContain ?rt - rtype ?ot - otype)
  (openable ?r - receptacle) (opened ?r - receptacle) (holds ?a - agent ?o - object) (holdsAny ?a - agent)
  (pickupable ?o - object) (isReceptacleObject ?o - object) (inReceptacleObject ?inner - object ?outer - object)
  (cleanable ?o - object) (isClean ?o - object) (heatable ?o - object) (isHot ?o - object)
  (coolable ?o - object) (isCool ?o - object) (toggleable ?o - object) (isOn ?o - object) (isToggled ?o - object)
  (sliceable ?o - object) (isSliced ?o - object) (checked ?x - object))

(:action GotoLocation
  :parameters (?a - agent ?lStart - location ?lEnd - location ?r - receptacle)
  :precondition (and (atLocation ?a ?lStart) (receptacleAtLocation ?r ?lEnd))
  :effect (and (not (atLocation ?a ?lStart)) (atLocation ?a ?lEnd)))

(:action OpenObject
  :parameters (?a - agent ?l - location ?r - receptacle)
  :precondition (and (openable ?r) ${isHere} (not (opened ?r)))
  :effect (and (opened ?r) (checked ?r)))

(:action CloseObject
  :parameters (?a - agent ?l - location ?r - receptacle)
  :precondition (and (openable ?r) ${isHere} (opened ?r))
  :effect (not (opened ?r)))

(:action PickupObject
  :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
  :precondition (and (pickupable ?o) ${isHere} (inReceptacle ?o ?r) (not (holdsAny ?a)) ${isUsable})
  :effect (and (not (inReceptacle ?o ?r)) (not (objectAtLocation ?o ?l)) (holds ?a ?o) (holdsAny ?a)))

(:action PutObject
  :parameters (?a - agent ?l - location ?o - object ?r - receptacle ?ot - otype ?rt - rtype)
  :precondition (and (holds ?a ?o) ${isHere} ${isUsable} (objectType ?o ?ot) (receptacleType ?r ?rt) (canContain ?rt ?ot))
  :effect (and (inReceptacle ?o ?r) (objectAtLocation ?o ?l) (not (holds ?a ?o)) (not (holdsAny ?a))))
${treat('CleanObject', 'SinkBasin', 'cleanable', 'isClean')}${treat('HeatObject', 'Microwave', 'heatable', 'isHot', 'isCool')}${treat('CoolObject', 'Fridge', 'coolable', 'isCool', 'isHot')}
(:action ToggleObject
  :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
  :precondition (and (toggleable ?o) ${isHere} (inReceptacle ?o ?r))
  :effect (and (isToggled ?o) (when (isOn ?o) (not (isOn ?o))) (when (not (isOn ?o)) (isOn ?o))))

(:action SliceObject
  :parameters (?a - agent ?l - location ?co - object ?ko - object)
  :precondition (and (sliceable ?co) (or (objectType ?ko KnifeType) (objectType ?ko ButterKnifeType)) (holds ?a ?ko)
    (atLocation ?a ?l) (objectAtLocation ?co ?l))
  :effect (isSliced ?co))

(:action examineReceptacle
  :parameters (?a - agent ?r - receptacle)
  :precondition (exists (?l - location) (and ${isHere}))
  :effect (checked ?r))

(:action examineObject
  :parameters (?a - agent ?o - object)
  :precondition ${examinesInSight ? `(or (holds ?a ?o) ${inSight})` : '(holds ?a ?o)'}
  :effect (checked ?o))

(:action look
  :parameters (?a - agent ?l - location)
  :precondition (atLocation ?a ?l)
  :effect (checked ?l))

(:action inventory :parameters (?a - agent) :precondition () :effect (checked ?a))
(:action help :parameters (?a - agent) :precondition () :effect (checked ?a))
)
`;
}
